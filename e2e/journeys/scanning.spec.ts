import type { Locator } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { box, callsOf, newRequisition, text } from '../support/requisition.ts'
import { deskAndPhone, expect, scan, test } from '../support/test.ts'

test('DAY-20 DAY-32 a scanner works on every page, also in a text field, and does what the scan mode says', async ({
  page,
  playwright,
  baseURL,
  look,
}) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  const session = await sessionOf(request, 'staff')
  await request.dispose()
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const last = page.getByRole('status', { name: 'Last scan' })
  await openAs(page, session, '/clients')
  const search = page.getByRole('searchbox').first()
  await expect(search).toBeVisible()
  const choose = async (mode: string) => {
    await page.getByRole('combobox', { name: /^Scan mode/ }).click()
    await page.getByRole('option', { name: mode, exact: true }).click()
  }
  await test.step('DAY-20 a text field is as it was before, and nothing is submitted', async () => {
    await choose('Find')
    await search.focus()
    await page.keyboard.type('ab')
    await scan(page, String(id))
    await expect(last).toContainText(`#${id}`)
    await expect(last).toContainText('no sample is stored')
    await expect(last).toContainText('1 scan')
    await expect(search).toHaveValue('ab')
    expect(new URL(page.url()).pathname).toBe('/clients')
    await look(page, 'last-scan', deskAndPhone)
  })
  await test.step('DAY-20 an unknown code says so and changes nothing', async () => {
    await scan(page, 'X-471199')
    await expect(last).toContainText('The code X-471199 is not known')
    await expect(last).toContainText('2 scans')
  })
  await test.step('DAY-20 DAY-32 a tube is received by its scan, and the notice undoes it', async () => {
    await choose('Receive')
    await scan(page, `${id}S`)
    await expect(last).toContainText(`Received: #${id}`)
    expect(await api.get(`requisitions/${id}/specimens`)).toHaveLength(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(async () => expect(await api.get(`requisitions/${id}/specimens`)).toHaveLength(0)).toPass()
  })
  await test.step('DAY-20 a label scanned again is no second receipt, unless a button says so', async () => {
    await scan(page, `${id}S`)
    await expect(last).toContainText(`Received: #${id}`)
    await scan(page, `${id}S`)
    await expect(last).toContainText(/Already received at \d\d:\d\d \S+ by .*: #/)
    await expect(last).toContainText('5 scans')
    expect(await api.get(`requisitions/${id}/specimens`)).toHaveLength(1)
    await look(page, 'received-before', deskAndPhone)
    await last.getByRole('button', { name: 'Receive another tube' }).click()
    await expect(last).toContainText(`Received: #${id}`)
    await expect(last).toContainText('5 scans')
    expect(await api.get(`requisitions/${id}/specimens`)).toHaveLength(2)
  })
  await test.step('DAY-20 the letters of a code are no keys of the page', async () => {
    await page.goto('/review')
    await expect(page.getByRole('row').nth(1)).toBeVisible()
    await choose('Find')
    await page.getByRole('heading', { level: 1 }).click()
    await scan(page, `${id}DP`)
    await expect(last).toContainText(`#${id}`)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page).toHaveURL(/\/review/)
  })
  await test.step('DAY-20 opens what was scanned, and the mode is chosen in the header of a record too', async () => {
    await choose('Open')
    await scan(page, String(id))
    await expect(page).toHaveURL(`/requisitions/${id}/show`)
    // The header of the page before goes with it, and a menu that is open there.
    await expect(page.getByRole('button', { name: 'Correct name, birth date or sex' })).toBeVisible()
    await choose('Find')
    await look(page, 'scan-mode-record', [1440, 1024, 390])
    await page.goto('/')
    await expect(page.getByRole('combobox', { name: 'Scan mode: Find' })).toBeVisible()
  })
})

test('DAY-20 a scan into a form changes no field: not the ones that go on when they are full, nor closed lists', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', '/requisitions/create')
  const last = page.getByRole('status', { name: 'Last scan' })
  const client = box(page, 'Client')
  await expect(client).toBeFocused()
  let count = 0
  const scanInto = async (field: Locator, code: string) => {
    await field.focus()
    await scan(page, code)
    count += 1
    await expect(last).toContainText(`The code ${code} is not known`)
    await expect(last).toContainText(count === 1 ? '1 scan' : `${count} scans`)
    await expect(field).toBeFocused()
  }
  await text(page, 'Collected Minutes').fill('45')
  await scanInto(text(page, 'Collected Hours'), '123456789012')
  await expect(text(page, 'Collected Hours')).toHaveValue('')
  await expect(text(page, 'Collected Minutes')).toHaveValue('45')
  await scanInto(text(page, 'DOB Month'), '098765432109')
  for (const part of ['Month', 'Day', 'Year']) await expect(text(page, `DOB ${part}`)).toHaveValue('')
  const time = box(page, 'Time of day')
  const before = await time.textContent()
  for (const code of ['X-77A', 'X-77P']) await scanInto(time, code)
  await expect(time).toHaveText(String(before))
  await scanInto(box(page, 'Gender'), 'MFMF')
  await expect(box(page, 'Gender')).not.toHaveText(/Male|Female/)
  // The next Enter of a person takes nothing from a list that the scan has opened.
  await scanInto(client, 'QQ-471199')
  await expect(client).toHaveAttribute('aria-expanded', 'false')
  await expect(client).toHaveValue('')
})

test('DAY-20 the scan mode is chosen on a phone', async ({ page, signIn, look }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, 'staff', '/requisitions?status=Logged')
  const mode = page.getByRole('combobox', { name: /^Scan mode/ })
  await expect(mode).toBeInViewport({ ratio: 1 })
  await mode.click()
  await page.getByRole('option', { name: 'Receive', exact: true }).click()
  await expect(page.getByRole('combobox', { name: 'Scan mode: Receive' })).toHaveText(/Receive$/)
  const title = page.getByRole('heading', { name: 'Requisitions', level: 1 })
  await expect(title).toBeInViewport()
  const [left, right] = [await title.boundingBox(), await mode.boundingBox()]
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0)
  await look(page, 'scan-mode-phone', [390])
})
