import type { Page } from '@playwright/test'
import { hold } from '../support/held.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>
let staff: Session

test.beforeAll(async ({ browser, baseURL }) => {
  const page = await browser.newPage({ baseURL })
  staff = await sessionOf(page.request, 'staff')
  await page.close()
})

const header = 'physFirstName,physLastName,physTitle,npiNumber,ptanNumber'
/** Valid numbers that no other run has: the check digit is worked out. */
const npi = (serial: number): string => {
  const nine = `1${String(serial).padStart(8, '0').slice(-8)}`
  for (let digit = 0; digit < 10; digit++) {
    const sum = [...`80840${nine}${digit}`].reverse().reduce((total, char, place) => {
      const value = Number(char) * (place % 2 === 1 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    if (sum % 10 === 0) return `${nine}${digit}`
  }
  throw new Error('no check digit')
}
const file = (name: string, content: string | Buffer) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
const newest = (page: Page) => page.locator('tbody tr.row').first()
const chooseType = async (page: Page, type: string) => {
  await page.getByLabel('Load Type').click()
  await page.getByRole('option', { name: type }).click()
}

test('BATCH-49 BATCH-57..BATCH-60 BATCH-71 a file is checked as a whole, its good rows are loaded, the failed come back', async ({
  page,
  expectAccessible,
}) => {
  await openAs(page, staff, '/batch-csv-upload')
  await expect(page.getByRole('heading', { name: 'Batch CSV Upload' })).toBeVisible()
  for (const [id, name] of [
    ['BATCH-51', 'Upload ID'],
    ['BATCH-52', 'Upload Date'],
    ['BATCH-53', 'File Type'],
    ['BATCH-54', 'Total Rows Uploaded'],
    ['BATCH-55', 'Success/Failed Rows'],
    ['BATCH-56', 'Uploaded By'],
  ] as const)
    await test.step(`${id} there is the column ${name}`, () =>
      expect(page.getByRole('columnheader', { name })).toBeVisible())
  const widget = page.getByRole('region', { name: 'Batch Data Load' })
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(widget.getByText('Load Type is required')).toBeVisible()
  await expect(widget.getByText('Please Upload File')).toBeVisible()
  await chooseType(page, 'Physicians')
  const template = page.waitForEvent('download')
  await widget.getByRole('button', { name: 'Download template' }).click()
  expect((await template).suggestedFilename()).toBe('physicians-template.csv')

  const serial = Date.now()
  const rows = [
    `Ada,"=Lovelace ""A""",MD,${npi(serial)},`,
    `Bob,Byron,KING,${npi(serial + 1)},`,
    `,Nameless,MD,1234567890,`,
    `Cleo,Crane,DO,${npi(serial + 2)},PT-1`,
  ]
  await widget
    .locator('input[type=file]')
    .setInputFiles(file('physicians.csv', `\ufeff${[header, ...rows].join('\r\n')}`))
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(widget.getByText('2 of 4 rows can be loaded, 2 have errors')).toBeVisible()
  const errors = widget.getByLabel('Errors of the file')
  await expect(errors).toContainText('Row 3, physTitle: Title is invalid')
  await expect(errors).toContainText('Row 4, physFirstName: First Name is required')
  await expectAccessible(page)
  await widget.getByRole('button', { name: 'Load the 2 good rows' }).click()
  await expect(page.getByText('File is being processed').first()).toBeVisible()
  await expect(page.getByText('2 of 4 rows loaded, 2 failed')).toBeVisible()
  await expect(newest(page)).toContainText('Physicians')
  await expect(newest(page)).toContainText('2/2')
  await newest(page)
    .getByRole('button', { name: /expand/i })
    .click()
  const table = page.getByRole('table', { name: /Load errors/ })
  await expect(table.getByRole('columnheader')).toHaveText(['ID', 'Error'])
  await expect(table).toContainText('Row 3, physTitle: Title is invalid')
  const failed = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download failed rows' }).click()
  expect((await failed).suggestedFilename()).toBe('physicians-errors.csv')
  await expectAccessible(page)

  // The same file again adds nothing.
  await chooseType(page, 'Physicians')
  await widget.locator('input[type=file]').setInputFiles(file('again.csv', [header, rows[0], rows[3]].join('\n')))
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(page.getByText('0 of 2 rows loaded, 0 failed, 2 loaded before')).toBeVisible()
})

test('a file with the wrong header, semicolons or Windows letters is told apart', async ({ page }) => {
  await openAs(page, staff, '/batch-csv-upload')
  const widget = page.getByRole('region', { name: 'Batch Data Load' })
  await chooseType(page, 'Physicians')
  await widget.locator('input[type=file]').setInputFiles(file('wrong.csv', 'physFirstName,colour\nA,red'))
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(widget.getByText('The file cannot be loaded')).toBeVisible()
  await expect(widget.getByLabel('Errors of the file')).toContainText('Row 1, colour: Unknown column')
  await expect(widget.getByLabel('Errors of the file')).toContainText('Row 1, npiNumber: The column is missing')
  await widget.getByRole('button', { name: 'Choose another file' }).click()
  const row = `José;Muñoz;MD;${npi(Date.now() + 7)};`
  const windows = Buffer.from([header.replaceAll(',', ';'), row].join('\r\n'), 'latin1')
  await widget.locator('input[type=file]').setInputFiles(file('windows.csv', windows))
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(page.getByText('1 of 1 rows loaded, 0 failed')).toBeVisible()
})

test('BATCH-50 others find no such page', async ({ page }) => {
  await openAs(page, await sessionOf(page.request, 'collaborator'), '/batch-csv-upload')
  await expect(page.getByText('403: Forbidden')).toBeVisible()
})

test('BATCH-52 a page with a file that is still to be loaded is not left without a question', async ({ page }) => {
  await openAs(page, staff, '/batch-csv-upload')
  const widget = page.getByRole('region', { name: 'Batch Data Load' })
  await chooseType(page, 'Physicians')
  const row = `Ada,Lane,MD,${npi(Date.now() + 11)},`
  await widget.locator('input[type=file]').setInputFiles(file('asked.csv', [header, row].join('\n')))
  const letGo = await hold(page, /\/jobs\//)
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(widget.getByText(/^File is being checked/)).toBeVisible()
  await page.getByRole('link', { name: 'Collaborators' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(question).toContainText('The file is not loaded yet')
  await expect(question).not.toContainText('draft')
  await question.getByRole('button', { name: 'Cancel' }).click()
  letGo()
  await expect(page.getByText('1 of 1 rows loaded, 0 failed')).toBeVisible()
  await page.getByRole('link', { name: 'Collaborators' }).click()
  await expect(page).toHaveURL('/collaborators')
})

test('a file that waits for others says so, and after the load the widget asks for nothing', async ({ page }) => {
  await openAs(page, staff, '/batch-csv-upload')
  const widget = page.getByRole('region', { name: 'Batch Data Load' })
  await chooseType(page, 'Physicians')
  const row = `Ada,Lane,MD,${npi(Date.now() + 17)},`
  await widget.locator('input[type=file]').setInputFiles(file('waits.csv', [header, row, ',,,,'].join('\n')))
  // As the server answers while the job has not begun.
  let isQueued = true
  await page.route(/\/jobs\/[^/]+$/, async (route) => {
    const reply = await route.fetch()
    const body = await reply.json()
    if (isQueued) Object.assign(body.data, { state: 'QUEUED', done: 0, result: null })
    await route.fulfill({ response: reply, json: body })
  })
  await widget.getByRole('button', { name: 'Process' }).click()
  await expect(widget.getByText('Waiting for other files to be processed first')).toBeVisible()
  isQueued = false
  await expect(page.getByText('1 of 1 rows loaded, 0 failed')).toBeVisible()
  await expect(widget.getByText('Please Upload File')).toHaveCount(0)
  await expect(widget.getByText('Drop a file here')).toBeVisible()
})
