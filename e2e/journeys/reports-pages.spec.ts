import type { Page } from '@playwright/test'
import { expect, picture, test } from '../support/test.ts'

const row = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** M/DD/YYYY of the address's own words: what the page sends. */
const sentDay = (date: Date) =>
  `${date.getMonth() + 1}/${String(date.getDate()).padStart(2, '0')}/${date.getFullYear()}`

test('the tabs list their reports; one is looked at with its chart and downloaded', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn(page, 'staff')
  await test.step('REP-02 the menu leads to the reports page', async () => {
    await page.getByRole('link', { name: 'Reports', exact: true }).click()
    await expect(page).toHaveURL('/reports')
  })
  const tabs = page.getByRole('navigation', { name: 'Kinds of reports' })
  await test.step('REP-05..REP-09 the tabs are QA, misc and summary reports; the first is open with its list', async () => {
    await expect(tabs.getByRole('link')).toHaveText(['QA Reports', 'Misc Reports', 'Summary Reports'])
    await expect(tabs.locator('[aria-current]')).toHaveText('QA Reports')
    await expect(page.getByRole('list', { name: 'QA Reports' }).getByRole('region')).toHaveCount(9)
  })
  const pending = row(page, 'Pending by status and age')
  // The day at the laboratory, which this machine may have left already.
  const { labTz } = (await (await page.request.get('/api/v3.0/config')).json()).data
  const today = new Date(new Date().toLocaleString('en-US', { timeZone: labTz }))
  const shown = (date: Date) =>
    [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('/')
  await test.step('REP-10..REP-13 a report has its dates, from a month ago until today', async () => {
    await expect(pending.getByRole('textbox', { name: 'Date To' })).toHaveValue(
      `${shown(today)}/${today.getFullYear()}`,
    )
    await expect(pending.getByRole('textbox', { name: 'Date From' })).toHaveValue(/^\d\d\/\d\d\/\d{4}$/)
    const monthAgo = new Date(today.getFullYear(), today.getMonth() - 1, 1)
    const from = await pending.getByRole('textbox', { name: 'Date From' }).inputValue()
    expect(from.slice(0, 2)).toBe(String(monthAgo.getMonth() + 1).padStart(2, '0'))
  })
  await pending.getByRole('button', { name: 'Preview' }).click()
  await expect(pending.getByRole('table', { name: 'Pending by status and age' })).toContainText('All laboratories')
  await expect(pending.getByRole('figure').locator('svg').first()).toBeVisible()
  await expectAccessible(page)
  await picture(page, 'reports-qa')

  await test.step('REP-01 REP-14 REP-41 it is downloaded by its icon, in a window of its own', async () => {
    const sent = page.waitForRequest('**/qa_reports/download')
    const opened = page.waitForEvent('popup')
    const file = page
      .context()
      .waitForEvent('page')
      .then((popup) => popup.waitForEvent('download'))
    await pending.getByRole('button', { name: 'Download Pending by status and age' }).click()
    expect((await sent).postDataJSON()).toEqual({
      fromDate: expect.stringMatching(/^\d{1,2}\/\d\d\/\d{4}$/),
      toDate: sentDay(today),
      reportCode: 'QAPEND',
    })
    await opened
    expect((await file).suggestedFilename()).toMatch(/^QAPEND .*\.xlsx$/)
  })
  await test.step('REP-03 REP-23 the summary reports have an address of their own and the same layout', async () => {
    await tabs.getByRole('link', { name: 'Summary Reports' }).click()
    await expect(page).toHaveURL('/reports/summaryReports')
    await expect(page.getByRole('list', { name: 'Summary Reports' }).getByRole('region')).toHaveCount(8)
    const volume = row(page, 'Volume by client')
    await volume.getByRole('button', { name: 'Preview' }).click()
    await expect(volume.getByRole('table')).toContainText('Total')
  })
  const users = row(page, 'User activity')
  await users.getByRole('button', { name: 'Preview' }).click()
  await expect(users.getByRole('cell', { name: /^\d\d\/\d\d\/\d\d \d\d:\d\d [A-Z]{2,4}$/ }).first()).toBeVisible()
  await page.goto('/reports/nothing')
  await expect(page).toHaveURL('/reports')
  await expect(tabs.locator('[aria-current]')).toHaveText('QA Reports')
})

test('REP-27 REP-28 REP-37 REP-43..REP-45 dates are checked before anything is sent; what fails is said as a warning', async ({
  page,
  signIn,
}) => {
  await page.clock.install()
  await signIn(page, 'staff', '/reports/qaReports')
  const report = row(page, 'TAT by stage')
  const download = report.getByRole('button', { name: 'Download TAT by stage' })
  await report.getByRole('textbox', { name: 'Date From' }).fill('')
  await report.getByRole('textbox', { name: 'Date To' }).fill('')
  await download.click()
  await expect(report.getByText('Date From is required')).toBeVisible()
  await expect(report.getByText('Date To is required')).toBeVisible()
  await report.getByRole('textbox', { name: 'Date From' }).fill('02/01/2026')
  await report.getByRole('textbox', { name: 'Date To' }).fill('01/31/2026')
  await expect(report.getByText('Date From cannot be after Date To')).toBeVisible()
  await report.getByRole('textbox', { name: 'Date To' }).fill('02/28/2026')
  await expect(report.getByText('cannot be after')).toBeHidden()

  const answer = (json: object, status = 200) =>
    page.route('**/qa_reports/download', (route) => route.fulfill({ status, json }), { times: 1 })
  const notice = page.locator('.warning[role=status]')
  await answer({ data: { url: null, jobId: null }, message: 'No file today' })
  const sent = page.waitForRequest('**/qa_reports/download')
  await download.click()
  expect((await sent).postDataJSON()).toMatchObject({ fromDate: '2/01/2026', toDate: '2/28/2026' })
  await expect(notice.filter({ hasText: 'No file today' })).toBeVisible()
  await answer({ code: 'invalid', message: 'The report cannot be made', requestId: '1' }, 400)
  await download.click()
  await expect(notice.filter({ hasText: 'The report cannot be made' })).toBeVisible()
  // A server that never answers.
  await page.route('**/qa_reports/download', () => undefined, { times: 1 })
  await download.click()
  await expect(download).toHaveAttribute('aria-busy', 'true')
  await page.clock.fastForward(61_000)
  await expect(notice.filter({ hasText: 'The server took too long to respond. Please try again later.' })).toBeVisible()
})

test('REP-41 REP-43 REP-44 a long report is made in the background, over a restart of the server and a reload of the page', async ({
  page,
  signIn,
  expectAccessible,
  faults,
}) => {
  faults.expect(/status of 503/)
  await page.clock.install()
  await signIn(page, 'staff', '/reports/qaReports')
  const id = '00000000-0000-4000-8000-00000000000a'
  const job = (state: string, message: string | null = null) => ({
    status: 200,
    json: { data: { id, kind: 'report-pages.make', state, done: 0, total: 2, message, result: null }, message: '' },
  })
  let answer: { status: number; json: object } = job('RUNNING')
  await page.route('**/qa_reports/download', (route) =>
    route.fulfill({ json: { data: { url: null, jobId: id }, message: '' } }),
  )
  await page.route(`**/jobs/${id}`, (route) => route.fulfill(answer))
  await page.route(`**/report_files/${id}`, (route) =>
    route.fulfill({ json: { data: { url: '/made-report' }, message: '' } }),
  )
  await page.context().route('**/made-report', (route) => route.fulfill({ body: 'the file' }))

  const download = row(page, 'TAT by stage').getByRole('button', { name: 'Download TAT by stage' })
  const waiting = page.getByRole('list', { name: 'Reports in the background' })
  const notice = page.getByRole('alert').or(page.getByRole('status'))
  await download.click()
  await expect(waiting).toContainText(/TAT by stage, .* to .*Being prepared/)
  await expectAccessible(page)
  answer = { status: 503, json: { code: 'unavailable', message: 'Starting', requestId: '1' } }
  await page.clock.fastForward(61_000)
  await page.clock.fastForward(10_000)
  await expect(waiting).toContainText('Being prepared')
  await expect(notice.filter({ hasText: /took too long|Starting/ })).toHaveCount(0)
  await page.reload()
  await expect(waiting).toContainText('Being prepared')
  answer = job('DONE')
  const opened = page.context().waitForEvent('page')
  await waiting.getByRole('button', { name: 'Download', exact: true }).click()
  await expect(await opened).toHaveURL(/made-report/)
  await expect(waiting).toHaveCount(0)

  // The outcome reported by the job, however late.
  answer = job('RUNNING')
  await download.click()
  await expect(waiting).toContainText('Being prepared')
  await page.clock.fastForward(61_000)
  answer = job('FAILED', 'The work was interrupted too often and has been given up')
  await expect(notice.filter({ hasText: 'The work was interrupted too often' })).toBeVisible()
  await expect(waiting).toHaveCount(0)
})

test('misc reports ask for what they need and download', async ({ page, signIn, expectAccessible }) => {
  await signIn(page, 'staff', '/reports/adHocReports')
  const adHoc = page.getByRole('form', { name: 'Ad Hoc Resulted Tests for Reporting' })
  const event = page.getByRole('form', { name: 'Client Event Requisitions' })
  const buttons = page.getByRole('button', { name: 'Download' })
  await test.step('REP-15..REP-18 REP-29 REP-30 the ad hoc report asks for laboratory and requisitions', async () => {
    await buttons.nth(0).click()
    await expect(adHoc.getByText('For Lab/Collaborator is required')).toBeVisible()
    await expect(adHoc.getByText('Requisition(s) is required')).toBeVisible()
  })
  await test.step('REP-19..REP-22 REP-31 REP-32 the event report asks for client and event', async () => {
    await buttons.nth(1).click()
    await expect(event.getByText('Client is required')).toBeVisible()
    await expect(event.getByText('Client Event is required')).toBeVisible()
  })
  await expectAccessible(page)
  await picture(page, 'reports-misc')

  await adHoc.getByLabel('For Lab/Collaborator').click()
  await page.getByRole('option').first().click()
  await adHoc.getByLabel('Requisition(s)').fill('1, x')
  await expect(adHoc.getByText('Requisition(s) must be numbers separated by commas')).toBeVisible()
  await adHoc.getByLabel('Requisition(s)').fill('1, , 1,2')
  await test.step('REP-38 the numbers are sent as a list', async () => {
    const sent = page.waitForRequest('**/adhoc_reqs/download')
    await buttons.nth(0).click()
    expect((await sent).postDataJSON()).toEqual({ colaId: expect.any(Number), reqIds: [1, 2] })
    await expect(page.getByText('Requisition(s) not found: 1, 2')).toBeVisible()
  })
  await event.getByLabel('Client', { exact: false }).first().click()
  await page.getByRole('option').first().click()
  await event.getByRole('combobox', { name: 'Client Event' }).click()
  await page.getByRole('option').first().click()
  const asked = page.waitForRequest('**/event_reqs/download')
  await buttons.nth(1).click()
  expect((await asked).postDataJSON()).toEqual({ clientId: expect.any(Number), eventId: expect.any(Number) })
})

test('REP-20 REP-31 REP-39 a practice finds itself chosen already, and empties the field for good', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn(page, 'client', '/reports/adHocReports')
  const form = page.getByRole('form', { name: 'Client Event Requisitions' })
  const client = form.getByRole('combobox', { name: 'Client', exact: true })
  await expect(client).not.toHaveValue('')
  const event = form.getByRole('combobox', { name: 'Client Event' })
  await expect(event).toBeEnabled()
  await expectAccessible(page)
  await picture(page, 'reports-misc-client')
  await event.click()
  await page.getByRole('option').first().click()
  const asked = page.waitForRequest('**/event_reqs/download')
  const emptied = Promise.withResolvers<void>()
  await page.route('**/event_reqs/download', async (route) => {
    await emptied.promise
    await route.continue()
  })
  const send = page.getByRole('button', { name: 'Download' })
  await send.click()
  expect((await asked).postDataJSON()).toEqual({ clientId: expect.any(Number), eventId: expect.any(Number) })
  // What is changed while a form is on its way is not changed back when it has arrived.
  await client.fill('')
  await client.blur()
  await expect(send).toBeDisabled()
  emptied.resolve()
  await expect(send).toBeEnabled()
  await expect(client).toHaveValue('')
})
