import type { Page } from '@playwright/test'
import { Analyser, resultRecords, type SentResult } from '../../apps/server/seeds/laboratory/analyser.ts'
import { freePort } from '../../apps/server/test/free-port.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { type Calls, callsOf, unique } from '../support/requisition.ts'
import { claim } from '../support/results.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'
import { expectWhole } from '../support/whole.ts'

/** An instrument that measures triglycerides, and sends what it is given. */
const openInstrument = async (admin: Calls) => {
  const [{ id: labId }] = await admin.get('labs')
  const [name, port] = [unique('Analyser'), await freePort()]
  const { id } = await admin.post('instruments', { name, labId, protocol: 'ASTM', port })
  await admin.put(`instruments/${id}/codes`, {
    codes: [{ instrumentCode: 'TG', testCode: 'TRIG', units: 'mg/dL', decimals: 0 }],
  })
  await expect.poll(async () => (await admin.get(`instruments/${id}`)).linkState).toBe('LISTENING')
  const send = async (results: readonly SentResult[]) => {
    const analyser = await Analyser.connect({ port })
    await analyser.send(resultRecords(results))
    analyser.close()
  }
  return { id, name, send }
}

/** A run of three tubes with the results 120, 121 and 122, and others. */
const openRun = async (page: Page, others: readonly SentResult[] = []) => {
  const session = await sessionOf(page.request, 'admin')
  const admin = callsOf(page.request, session)
  const instrument = await openInstrument(admin)
  const tubes = [
    await claim(page.request, session, ['TRIG']),
    await claim(page.request, session, ['TRIG']),
    await claim(page.request, session, ['TRIG']),
  ] as const
  await instrument.send([
    ...tubes.map((specimen, index) => ({ specimen, code: 'TG', value: String(120 + index), units: 'mg/dL' })),
    ...others,
  ])
  return { session, admin, instrument, tubes }
}

/** As slow as a person: faster keys are those of a scanner. */
const person = { delay: 100 }

test('BENCH-20 BENCH-23 a run is decided with keys alone: accepted, run again, rejected after a dry run; the stop switch is on the screen', async ({
  page,
  signIn,
  look,
}) => {
  const { admin, instrument, tubes } = await openRun(page, [
    { specimen: 'NOBODY-1', code: 'TG', value: '90', units: 'mg/dL' },
  ])
  await signIn(page, 'staff', `/review?instrumentId=${instrument.id}`)
  const rows = page.getByRole('table', { name: 'Results that wait' }).locator('tr.row')
  await expect(rows).toHaveCount(4)
  await expect(rows.last()).toContainText('No requisition has the specimen number NOBODY-1')
  await expect(page.getByRole('complementary', { name: 'Selected result' })).toContainText('There is no rule for TRIG')
  await look(page, 'review', deskAndPhone)
  await expectWhole(page, page.getByRole('table', { name: 'Results that wait' }))
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(rows.first()).toContainText(/\d\d\/\d\d\/\d{4}/, { useInnerText: true })
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.keyboard.press('a')
  await expect(page.getByText('1 result accepted')).toBeVisible()
  await expect(rows).toHaveCount(3)
  await expect.poll(async () => (await admin.get(`requisitions/${tubes[0]}/req_tests`))[0].reportableResult).toBe('120')

  await page.keyboard.press('z')
  await expect(page.getByText('Undone: Accept 1 result')).toBeVisible()
  await expect(rows).toHaveCount(4)
  await expect(rows.first()).toContainText('120')
  await page.keyboard.press('k', person)
  await page.keyboard.press('a', person)
  await expect(rows).toHaveCount(3)

  const dialog = page.getByRole('dialog')
  await page.keyboard.press('?')
  await expect(dialog).toContainText('Undo the last decision')
  await page.keyboard.press('Escape')
  await page.keyboard.press('i')
  await expect(dialog.getByRole('heading', { name: 'Add Issue' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('d')
  await expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('Dilute 1:5')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  await page.keyboard.press('r')
  await expect(dialog.getByRole('textbox', { name: 'Reason' })).toBeFocused()
  await page.keyboard.type('Clot in the sample')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('1 result sent back for a rerun')).toBeVisible()
  await expect(rows).toHaveCount(2)

  await page.keyboard.press(' ', person)
  await page.keyboard.press('j', person)
  await page.keyboard.press(' ', person)
  await expect(page.getByText('2 selected')).toBeVisible()
  await page.keyboard.press('x')
  await expect(dialog).toContainText('2 will be rejected, 0 will not')
  await page.keyboard.type('Wrong tubes')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('2 results rejected')).toBeVisible()
  await expect(rows).toHaveCount(0)

  await page.getByRole('button', { name: 'Stop autoverification' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Odd values this morning')
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('Autoverification is stopped')).toBeVisible()
  await admin.put('autoverify/start', { reason: 'The values are right' })
  await expect(page.getByText('Autoverification is stopped')).toBeHidden()
})

test('BENCH-20 BENCH-24 of two people at the same result the second is told who was first, and decides about no other one unseen', async ({
  page,
  browser,
  signIn,
}) => {
  const { session, admin, instrument, tubes } = await openRun(page)
  const address = `/review?instrumentId=${instrument.id}`
  await signIn(page, 'staff', address)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const other = await context.newPage()
  await openAs(other, session, address)
  const rowsOf = (of: Page) => of.getByRole('table', { name: 'Results that wait' }).locator('tr.row')
  for (const one of [page, other]) await expect(rowsOf(one)).toHaveCount(3)
  await expect(page.getByRole('complementary', { name: 'Selected result' })).toContainText('120')

  await other.keyboard.press('a')
  await expect(rowsOf(page)).toHaveCount(2)
  const told = page.getByRole('status').filter({ hasText: `#${tubes[0]}` })
  await expect(told).toContainText('has accepted this result. Choose the next one.')
  await expect(page.getByRole('toolbar', { name: 'Decide' })).toContainText('None chosen')
  await page.keyboard.press('a')
  await page.keyboard.press('x')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(rowsOf(page)).toHaveCount(2)

  await page.keyboard.press('j')
  await expect(told).toBeHidden()
  await page.keyboard.press('x')
  await expect(page.getByRole('dialog')).toContainText('121')
  await expect(other.getByRole('complementary', { name: 'Selected result' })).toContainText('121')
  await other.keyboard.press('a')
  await expect(rowsOf(other)).toHaveCount(1)
  await page.keyboard.type('Clot in the sample')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('has accepted this result').first()).toBeVisible()
  const tests = await Promise.all(tubes.map((id) => admin.get(`requisitions/${id}/req_tests`)))
  expect(tests.map(([row]) => row.reportableResult)).toEqual(['120', '121', null])
  await context.close()
})

test('QC-06 QC-08 an instrument shows what is due and out of control; look-backs are settled by choice, or those of one test on it', async ({
  page,
  signIn,
}) => {
  const session = await sessionOf(page.request, 'admin')
  const admin = callsOf(page.request, session)
  const { id: instrumentId, name, send } = await openInstrument(admin)
  const of = { instrumentId, testCode: 'TRIG' }
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const tubes = [await claim(page.request, session, ['TRIG']), await claim(page.request, session, ['TRIG'])] as const
  await signIn(page, 'staff', `/instruments/${instrumentId}/show`)
  const row = page.getByRole('table', { name: 'Quality control' }).getByRole('row', { name: /TRIG/ })
  await expect(row).toContainText('Due')
  await expect(row).toContainText('No run yet')

  // With controls on two instruments, what other journeys type in the same laboratory counts for neither.
  const [{ id: labId }] = await admin.get('labs')
  const spare = await admin.post('instruments', { name: unique('Spare analyser'), labId, protocol: 'FILE' })
  const { id: materialId } = await admin.post('qc_materials', { name, maker: 'Maker' })
  const lot = { materialId, level: 1, lotNumber: name, expires: '2040-01-01' }
  const { id: lotId } = await admin.post('qc_lots', lot)
  await admin.post('qc_targets', { ...of, lotId, mean: '100', sd: '10', source: 'MAKER', validFrom: ago(10_000) })
  for (const one of [spare.id, instrumentId])
    await admin.post('qc_runs', { ...of, instrumentId: one, ranAt: ago(60), values: [{ lotId, value: '100' }] })
  await send(tubes.map((specimen, index) => ({ specimen, code: 'TG', value: String(120 + index), units: 'mg/dL' })))
  const waiting = () => admin.get(`review_results?filter=[instrumentId:${instrumentId}]`)
  await expect.poll(async () => (await waiting()).length).toBe(2)
  const items = (await waiting()).map(({ id, version }: { id: number; version: number }) => ({ id, version }))
  await admin.post('review_results/accept', { items })
  await admin.post('qc_runs', { ...of, ranAt: ago(0), values: [{ lotId, value: '150' }] })
  await expect(row).toContainText('Out of control')

  await page.goto('/quality-control/look-backs')
  await expect(page.getByRole('button', { name: 'Confirm the chosen results' })).toBeDisabled()
  await page
    .getByRole('row', { name: `#${tubes[0]}` })
    .getByRole('checkbox')
    .check()
  await expect(page.getByRole('button', { name: 'Confirm 1 result' })).toBeEnabled()

  await page.goto(`/quality-control/look-backs?instrumentId=${instrumentId}&testCode=TRIG`)
  await page.getByRole('button', { name: 'Confirm 2 results' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('No result waits to be looked at again.')).toBeVisible()
})

test('BENCH-09 the demo has two instruments with a day of runs', async ({ page }) => {
  const staff = callsOf(page.request, await sessionOf(page.request, 'staff'))
  const instruments: { id: number; name: string }[] = await staff.get('instruments')
  for (const name of ['Tosoh G11', 'Cobas c503']) {
    const { id } = instruments.find((one) => one.name === name) ?? {}
    const messages: { state: string; direction: string }[] = await staff.get(
      `instrument_messages?filter=[instrumentId:${id}]`,
    )
    expect(
      messages.filter(({ direction, state }) => direction === 'IN' && state === 'COMPLETE').length,
      name,
    ).toBeGreaterThan(2)
    const results: { state: string }[] = await staff.get(`instrument_results?filter=[instrumentId:${id}]&perPage=100`)
    const states = new Set(results.map(({ state }) => state))
    for (const state of ['VERIFIED', 'CONTROL', 'RERUN']) expect([...states], name).toContain(state)
  }
})

test('BENCH-03 BENCH-04 the page of an instrument takes a file of results once, and has the work list of a rack to print', async ({
  page,
  signIn,
}) => {
  const session = await sessionOf(page.request, 'admin')
  const admin = callsOf(page.request, session)
  const [{ id: labId }] = await admin.get('labs')
  const { id } = await admin.post('instruments', { name: unique('Reader'), labId, protocol: 'FILE' })
  await admin.put(`instruments/${id}/codes`, {
    codes: [{ instrumentCode: 'TG', testCode: 'TRIG', units: 'mg/dL', decimals: 0 }],
  })
  const tube = await claim(page.request, session, ['TRIG'])
  await signIn(page, 'admin', `/instruments/${id}/show`)

  await page.getByRole('textbox', { name: 'Specimens on the rack' }).fill(`${tube}\nNOBODY-2`)
  await page.getByRole('button', { name: 'Show work list' }).click()
  const rows = page.getByRole('table', { name: 'Work list' }).locator('tr.row')
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText('TRIG')
  await expect(rows.last()).toContainText('Nothing open')
  const printed = page.waitForResponse(/work_list\/print/)
  await page.getByRole('button', { name: 'Print', exact: true }).click()
  expect((await printed).status()).toBe(200)

  await page.getByRole('button', { name: 'Edit columns' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Specimen/ }).fill('Sample')
  await dialog.getByRole('textbox', { name: /^Instrument Code/ }).fill('Assay')
  await dialog.getByRole('textbox', { name: /^Result/ }).fill('Value')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const file = { name: 'run.csv', mimeType: 'text/csv', buffer: Buffer.from(`Sample,Assay,Value\n${tube},TG,131\n`) }
  await page.getByLabel('File with results').setInputFiles(file)
  await expect(page.getByText('1 result taken')).toBeVisible()
  await expect.poll(async () => (await admin.get(`instrument_results?filter=[instrumentId:${id}]`)).length).toBe(1)
  await page.getByLabel('File with results').setInputFiles(file)
  await expect(page.getByText(/has been taken already/)).toBeVisible()
})
