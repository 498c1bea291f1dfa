import type { APIRequestContext } from '@playwright/test'
import { demoPassword } from '../support/accounts.ts'
import { sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test.beforeEach(async ({ page, request }) => {
  const session = JSON.stringify(await sessionOf(request, 'management'))
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
})

const api = async (request: APIRequestContext) => {
  const { token } = await sessionOf(request, 'management')
  const headers = { authorization: `Bearer ${token}` }
  const post = async (path: string, data: object) => {
    const reply = await request.post(`/api/v3.0/${path}`, { headers, data })
    expect(reply.status(), await reply.text()).toBe(200)
    return (await reply.json()).data
  }
  return { post, headers }
}

test('QC-07 QC-09 controls fail, and a corrective action and a good run put the test back in control', async ({
  page,
  request,
  look,
}) => {
  const { post, headers } = await api(request)
  const labId = (await (await request.get('/api/v3.0/labs', { headers })).json()).data[0].id
  const name = `Analyser ${Date.now()}`
  const { id: instrumentId } = await post('instruments', { name, labId, protocol: 'FILE' })
  const { id: materialId } = await post('qc_materials', { name, maker: 'Maker' })
  const validFrom = new Date(Date.now() - 40 * 86_400_000).toISOString()
  const lots: number[] = []
  for (const level of [1, 2]) {
    const { id } = await post('qc_lots', { materialId, level, lotNumber: `L${level}`, expires: '2040-01-01' })
    lots.push(id)
    const target = { lotId: id, testCode: 'APOB', instrumentId, mean: '100', sd: '10', source: 'MAKER', validFrom }
    await post('qc_targets', target)
  }
  const run = (hours: number, values: string[]) =>
    post('qc_runs', {
      instrumentId,
      testCode: 'APOB',
      ranAt: new Date(Date.now() - hours * 3_600_000).toISOString(),
      values: values.map((value, index) => ({ lotId: lots[index], value })),
    })
  for (let n = 20; n > 2; n--) await run(n * 8, [String(95 + (n % 3) * 5), String(104 - (n % 3) * 4)])
  await run(2, ['101', '136'])

  await page.goto(`/quality-control?instrumentId=${instrumentId}&testCode=APOB`)
  await expect(page.getByRole('heading', { name: /^Out of control since/ })).toBeVisible()
  await expect(page.getByRole('img', { name: /^Level 2: 19 values; 1 rejected/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /1-3s level 2/ })).toBeVisible()
  await look(page, 'quality-control')
  await page.keyboard.press('ArrowLeft')
  await expect(page.locator('tr[aria-current=true]')).toContainText('1-3s level 2')

  await page.getByRole('button', { name: 'Month as PDF' }).click()
  const printed = page.waitForResponse(/qc_months\/print/)
  await page.getByRole('dialog').getByRole('button', { name: 'Print' }).click()
  expect((await printed).status()).toBe(200)
  await expect(page.getByRole('dialog')).toBeHidden()

  await page.keyboard.press('c')
  const kind = page.getByRole('combobox', { name: /^Kind/ })
  await expect(kind).toBeFocused()
  await kind.click()
  await page.getByRole('option', { name: 'Calibration drift' }).click()
  await page.getByRole('checkbox', { name: 'Calibrated again' }).check()
  await page.getByRole('button', { name: 'Record the action' }).click()

  // In the same minute as the action, which it still follows.
  await page.getByRole('button', { name: 'Enter the run' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Level 1, lot L1').fill('100')
  await dialog.getByLabel('Level 2, lot L2').fill('101')
  await dialog.getByRole('button', { name: 'Save run' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: /^Out of control/ })).toHaveCount(0)
  await expect(page.getByText('Calibrated again').first()).toBeVisible()

  const password = page.getByLabel('management, password')
  await password.fill('Not-My-Password-1!')
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(page.getByText('Password is not correct').first()).toBeVisible()
  await password.fill(demoPassword)
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(page.getByText(/Signed by \S/).last()).toBeVisible()
  await expect(page.getByText(/^Next controls due|There is no schedule/)).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'PNG' }).click()
  expect((await (await download).path()).length).toBeGreaterThan(0)
})

test('BENCH-41 BENCH-42 a critical result is called, and taken over with a reason; a wrong read-back leaves the call open, the right one closes it', async ({
  page,
  request,
  look,
}) => {
  const { headers } = await api(request)
  const openCalls = async () =>
    (await (await request.get('/api/v3.0/critical_calls?filter=[state:[OPEN,TAKEN]]', { headers })).json()).data
  const calls: { id: number; state: string; reqId: number; patientName: string; value: string }[] = await openCalls()
  const call = calls.find(({ state }) => state === 'OPEN') as (typeof calls)[number]
  await page.goto('/critical-calls')
  await page
    .getByRole('button', { name: `Call about ${call.patientName}` })
    .first()
    .click()
  const sheet = page.getByRole('region', { name: 'Call a critical result' })
  await expect(sheet).toContainText(`#${call.reqId}`)
  await sheet.getByRole('button', { name: 'Take this call' }).click()
  await expect(sheet).toContainText('has this call')
  await look(page, 'critical-calls')

  // Somebody else takes it over; the key T takes it back.
  const { token } = await sessionOf(request, 'staff')
  const other = { headers: { authorization: `Bearer ${token}` }, data: { reason: 'I know the practice' } }
  expect((await request.post(`/api/v3.0/critical_calls/${call.id}/take`, other)).status()).toBe(200)
  await expect(sheet.getByRole('button', { name: 'Take it over' })).toBeVisible()
  await page.keyboard.press('t')
  const dialog = page.getByRole('dialog', { name: 'Take the call over' })
  await dialog.getByRole('button', { name: 'Take it over' }).click()
  await expect(dialog.getByText('Reason is required')).toBeVisible()
  await dialog.getByLabel('Reason').fill('Her shift has ended')
  await dialog.getByRole('button', { name: 'Take it over' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(sheet).toContainText('has this call')
  await expect(sheet.getByRole('button', { name: 'Take it over' })).toHaveCount(0)

  await sheet.getByRole('button', { name: /^Close the call/ }).click()
  await expect(sheet.getByText('Read Back is required')).toBeVisible()
  await sheet.getByLabel('Taken by').fill('Ada Okonjo')
  await sheet.getByLabel('Value as it was read back').fill('1')
  await sheet.getByRole('button', { name: /^Close the call/ }).click()
  await expect(sheet).toContainText('read back 1, which is another value')

  // The form is emptied after the try is shown.
  await expect(sheet.getByLabel('Value as it was read back')).toHaveValue('')
  await sheet.getByLabel('Value as it was read back').fill(call.value)
  const twoMinutesAgo = Date.now() - 120_000
  const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'America/Phoenix' })
  await sheet.getByLabel('Time of the call').fill(clock.format(twoMinutesAgo))
  await page.keyboard.press('Tab')
  await sheet.getByRole('button', { name: /^Close the call/ }).click()
  await expect(sheet).toContainText('read back.')
  expect((await openCalls()).map(({ id }: { id: number }) => id)).not.toContain(call.id)
  const { data: closed } = await (await request.get(`/api/v3.0/critical_calls/${call.id}`, { headers })).json()
  expect(Math.abs(Date.parse(closed.attempts.at(-1).calledAt) - twoMinutesAgo)).toBeLessThan(60_000)
})
