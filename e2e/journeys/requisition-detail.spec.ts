import type { Page } from '@playwright/test'
import { hold } from '../support/held.ts'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { callsOf, newRequisition } from '../support/requisition.ts'
import { expect, picture, test } from '../support/test.ts'

const pdf = { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj\n') }

let session: Awaited<ReturnType<typeof sessionOf>>
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  await request.dispose()
})
const api = (page: Page) => callsOf(page.request, session)
const choose = async (page: Page, label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option }).first().click()
}

test('staff walk through a requisition: header, tabs, an issue with its work log, a QA note, and its history', async ({
  page,
  expectAccessible,
}) => {
  const id = await newRequisition(api(page))
  await test.step('DETAIL-004 DETAIL-024 an unknown tab shows the view, under number, name and birth date', async () => {
    await openAs(page, session, `/requisitions/${id}/show/nonsense`)
    await expect(page).toHaveURL(`/requisitions/${id}/show`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      new RegExp(`^#${id} \\| .+, .+ \\(\\d\\d/\\d\\d/\\d{4}\\)$`),
    )
    await expect(page.getByRole('link', { name: 'View', exact: true })).toHaveAttribute('aria-current', 'page')
    await expect(page.getByRole('heading', { name: 'Requisition Information' })).toBeVisible()
  })
  await expect(page.getByRole('heading', { name: 'What stops it going out' })).toBeVisible()
  const stops = page.getByRole('region', { name: 'What stops it going out' })
  for (const [action, tab] of Object.entries({
    'Add tests': 'tests',
    'Add specimen': 'specimens',
    'Add ICD': 'billing',
  }))
    await expect(stops.getByRole('link', { name: action })).toHaveAttribute('href', `/requisitions/${id}/show/${tab}`)
  await expectAccessible(page)
  await picture(page, 'detail-view')

  await test.step('DETAIL-003 ISSUE-01 ISSUE-02 ISSUE-31 the issues have an address of their own, and a form to add one that names what is missing', async () => {
    await page.getByRole('link', { name: 'Issues', exact: false }).first().click()
    await expect(page).toHaveURL(new RegExp(`/requisitions/${id}/show/issues$`))
    await page.getByRole('button', { name: 'Add Issue' }).click()
    await page.getByRole('button', { name: 'Add Issue' }).click()
    await expect(page.getByText('Reporter Department is required')).toBeVisible()
  })
  await page.getByLabel('Note').fill('See photo')
  await choose(page, 'Issue Type', 'Quantity not sufficient')
  await expect(page.getByLabel('Description')).toHaveValue('Quantity not sufficient')
  await expect(page.getByRole('combobox', { name: 'Resolver Department' })).not.toHaveText('')
  await page.getByLabel('Description').fill('Tube arrived without a label')
  // Another type has other departments; what was typed stays.
  await choose(page, 'Issue Type', 'Client cancels a test')
  await expect(page.getByLabel('Note')).toHaveValue('See photo')
  await page.getByRole('button', { name: 'Add Issue' }).click()
  await test.step('ISSUE-04 an added issue is in the list', async () => {
    await expect(page.getByRole('heading', { name: 'Tube arrived without a label' })).toBeVisible()
  })
  // The list of the server, but 'Closed', which has its own button.
  await page.getByRole('combobox', { name: 'Status', exact: true }).click()
  await expect(page.getByRole('option')).toHaveText(['Open', 'In progress', 'Resolved'])
  await page.keyboard.press('Escape')
  await test.step('ISSUE-05 ISSUE-08 ISSUE-34 a work log is added to it, with a text', async () => {
    await page.getByRole('button', { name: 'Add Work Log' }).first().click()
    await expect(page.getByLabel('Issue Work Log')).toBeFocused()
    await page.getByRole('button', { name: 'Add Work Log' }).last().click()
    await expect(page.getByText('Issue Work Log is required')).toBeVisible()
    await page.getByLabel('Issue Work Log').fill('Called the practice')
    await page.getByRole('button', { name: 'Add Work Log' }).last().click()
    await expect(page.getByText('Called the practice')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add Work Log' }).first()).toBeFocused()
  })
  await test.step('ISSUE-06 ISSUE-07 the work log is hidden and shown', async () => {
    await page.getByRole('button', { name: 'Hide Work Log' }).first().click()
    await expect(page.getByText('Called the practice')).toBeHidden()
    await page.getByRole('button', { name: 'Show Work Log' }).first().click()
    await expect(page.getByText('Called the practice')).toBeVisible()
  })
  await expectAccessible(page)
  await picture(page, 'detail-issues')
  // The keyboard keeps its place: a control that saves keeps the focus, and the card of a removed one gets it.
  await choose(page, 'Status', 'In progress')
  await expect(page.getByText('Successfully updated').first()).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toBeFocused()
  // The next key need not wait: closing follows the change before it, which is slow here.
  await page.route('**/issues/*', async (route) => setTimeout(() => route.continue(), 500), { times: 1 })
  const saves: number[] = []
  page.on('response', (reply) => reply.request().method() === 'PUT' && saves.push(reply.status()))
  await choose(page, 'Status', 'Resolved')
  const close = page.getByRole('region', { name: 'Issues' }).getByRole('button', { name: 'Close', exact: true })
  await close.press('Enter')
  // Closed it stays closed, so it is asked first.
  const question = page.getByRole('dialog', { name: 'Are you sure you want to close this issue?' })
  await expect(question).toContainText('A closed issue is locked for good')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(close).toBeFocused()
  await close.press('Enter')
  await question.getByRole('button', { name: 'Close issue' }).click()
  await expect(question).toBeHidden()
  await expect(close).toHaveCount(0)
  await expect.poll(() => saves).toEqual([200, 200])
  await expect(page.getByRole('region', { name: 'Issues' })).toBeFocused()

  await test.step('DETAIL-042..DETAIL-045 a QA note is added, is in the table, and has a history', async () => {
    await page.getByRole('link', { name: 'QA Notes' }).click()
    await choose(page, 'Type of Note', /./)
    await page.getByLabel('Note', { exact: true }).fill('Slightly hemolysed')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByRole('table', { name: 'Lab Notes' }).getByText('Slightly hemolysed')).toBeVisible()
    await page.getByRole('button', { name: 'History' }).click()
    await expect(page.getByRole('dialog').getByText('Created').first()).toBeVisible()
    await page.getByRole('button', { name: 'Close' }).click()
  })
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Activity' }).click()
  const history = page.getByRole('table', { name: 'History' })
  await test.step('DETAIL-046 DETAIL-049 DETAIL-050 DETAIL-163 DETAIL-164 a row of the history opens into what was and what is', async () => {
    await expect(history.getByText('Lab note added').first()).toBeVisible()
    await history
      .getByRole('button', { name: /^Expand/ })
      .nth(1)
      .click()
    await expect(page.getByRole('columnheader', { name: 'From' })).toBeVisible()
  })
  await test.step('DETAIL-047 the history is limited to changes of status', async () => {
    await page.getByLabel('Show only the Status change').check()
    await expect(history.getByText('Lab note added')).toHaveCount(0)
    await expectAccessible(page)

    await page
      .getByRole('link', { name: /^Status/ })
      .first()
      .click()
  })
  await test.step('DETAIL-005 the status in the header leads to the list of that status', async () => {
    await expect(page).toHaveURL(/\/requisitions\?status=Logged/)
  })
})

test('DETAIL-023 DETAIL-051..DETAIL-053 DETAIL-056..DETAIL-058 DETAIL-148 names lead to their pages, the ICD notes of the client are edited, locations are those of the laboratory, and an unknown time zone is reported', async ({
  page,
}) => {
  const logged: { id: number }[] = await api(page).get('requisitions/LOG?page=1&perPage=25&sort=id,ASC')
  const id = logged[7]?.id
  await openAs(page, session, `/requisitions/${id}/show`)
  const card = page.getByRole('region', { name: 'Requisition Information' })
  for (const path of ['collaborators', 'clients', 'physicians'])
    await expect(card.locator(`a[href^="/${path}/"][href$="/show"]`).first()).toBeVisible()

  const notes = page.getByRole('region', { name: 'Client ICD Notes' })
  await notes.getByRole('button', { name: 'Edit' }).click()
  await notes.getByRole('textbox', { name: 'Note' }).fill('Sends the ICD list by fax on Mondays')
  await notes.getByRole('button', { name: 'Save' }).first().click()
  await expect(notes.getByText('Sends the ICD list by fax on Mondays')).toBeVisible()

  await page.goto(`/requisitions/${id}/show/locations`)
  const freezers = page.waitForRequest(/\/labs\/\d+\/dd_freezer/)
  await page.getByRole('button', { name: 'Place' }).first().click()
  const { labId } = await api(page).get(`requisitions/${id}`)
  expect((await freezers).url()).toContain(`/labs/${labId}/`)

  await page.route(`**/api/v3.0/requisitions/${id}`, async (route) => {
    const reply = await route.fetch()
    const body = await reply.json()
    await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, clientTz: 'TZNA' } } })
  })
  await page.goto(`/requisitions/${id}/show`)
  await card.getByLabel("Unable to calculate client's timezone.").first().hover()
  await expect(page.getByRole('tooltip')).toContainText("Please correct the client's city, state and country.")
})

test('staff upload, download and delete a document, and set status and codes', async ({ page, expectAccessible }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show`)
  const section = page.getByRole('region', { name: 'Insurance card' })
  const dialog = page.getByRole('dialog')
  // Many people click twice: the second click falls beside the window, which stays.
  await test.step('DOC-01 the widget has the documents', () =>
    expect(page.getByRole('heading', { name: 'Downloads/Uploads' })).toBeVisible())
  await test.step('DOC-02 DOC-03 DOC-51 each section has its Upload, which asks for a file', async () => {
    for (const name of ['Scanned Requisition', 'Insurance card', 'Add-On Document'])
      await expect(page.getByRole('button', { name: `Upload ${name}` })).toBeVisible()
    await section.getByRole('button', { name: 'Upload Insurance card' }).dblclick()
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
    await expect(dialog.getByText('Please Upload File')).toBeVisible()
  })
  await test.step('DOC-49 DOC-53 an upload goes to the store without the token, and says so', async () => {
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /\/storage/.test(request.url()))
    await dialog.getByLabel('File', { exact: true }).setInputFiles(pdf)
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
    await expect(page.getByText('Successfully uploaded')).toBeVisible()
    expect((await sent).headers().authorization).toBeUndefined()
  })
  await test.step('DOC-25 on a desk a document is downloaded', async () => {
    const asked = page.waitForRequest(/\/download_docs\/\d+/)
    const download = page.waitForEvent('download')
    await section.getByRole('button', { name: 'Download scan.pdf' }).click()
    await asked
    expect((await download).suggestedFilename()).toBe('scan.pdf')
  })
  await section.getByRole('button', { name: 'Delete scan.pdf' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(section.getByText('scan.pdf')).toHaveCount(0)
  await expect(section).toBeFocused()

  await page.goto(`/requisitions/${id}/show/status`)
  await test.step('DETAIL-032 DETAIL-035 DETAIL-036 the tab has status, billing status and codes', async () => {
    for (const title of ['Requisition Status', 'Billing Status', 'Fail / Pass Codes'])
      await expect(page.getByRole('heading', { name: title })).toBeVisible()
  })
  await test.step('DETAIL-150 DETAIL-152 DETAIL-154 the status is saved as it is chosen, and said', async () => {
    await choose(page, 'Status', 'Accessioned')
    await expect(page.getByText('Successfully updated status')).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toBeFocused()
    await expect(page.getByRole('list', { name: 'Status changes' }).getByText('Accessioned')).toBeVisible()
  })
  await test.step('Delivered is not set without a second look while its conditions are not met', async () => {
    const question = page.getByRole('dialog', { name: 'Set to Delivered all the same?' })
    await choose(page, 'Status', 'Delivered')
    await expect(question.getByText('No report released by lab QC')).toBeVisible()
    await question.getByRole('button', { name: 'Leave the status' }).click()
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveText('Accessioned')
    await choose(page, 'Status', 'Delivered')
    await question.getByRole('button', { name: 'Set to Delivered' }).click()
    await expect(page.getByRole('list', { name: 'Status changes' }).getByText(/Set although/)).toBeVisible()
    await choose(page, 'Status', 'Accessioned')
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveText('Accessioned')
  })
  // Somebody else is quicker: that is said, and what they chose is shown.
  await page.route(`**/api/v3.0/requisitions/${id}`, async (route) => {
    if (route.request().method() === 'PUT') await api(page).put(`requisitions/${id}`, { reqStatusCode: 'LOG' })
    await route.fallback()
  })
  await choose(page, 'Status', 'Processing')
  await expect(page.getByText('Somebody else has changed this record in the meantime.')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveText('Logged')
  await page.unrouteAll({ behavior: 'wait' })
  // Codes that are for tests alone are not offered: the server would refuse them, and with them what is chosen beside.
  for (const [list, ofTests] of [
    ['Fail Codes', 'Instrument error'],
    ['Pass Codes', 'Result confirmed by repeat'],
  ] as const) {
    await page.getByRole('combobox', { name: list }).click()
    await expect(page.getByRole('option').first()).toBeVisible()
    await expect(page.getByRole('option', { name: ofTests })).toHaveCount(0)
    await page.keyboard.press('Escape')
  }
  await page.getByRole('combobox', { name: 'Pass Codes' }).click()
  await page.getByRole('option').first().click()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Pass Codes successfully updated')).toBeVisible()
  await expectAccessible(page)
  await picture(page, 'detail-status')
})

test('PAT-117 DOC-24 the SVDx results of a patient over time: what a point tells, where it leads, and documents to view on a phone', async ({
  page,
}) => {
  const filter = encodeURIComponent(JSON.stringify({ testCodes: 'SVDX' }))
  const [{ id }] = await api(page).get(`requisitions/BILL?page=1&perPage=25&filter=${filter}`)
  await openAs(page, session, `/requisitions/${id}/show/patientHistory`)
  const chart = page.getByRole('figure', { name: 'SVDx results over process date' })
  await chart.locator('.recharts-line-dot').first().hover()
  const tip = chart.getByText('Family history of MI').locator('..')
  await test.step('PAT-103..PAT-106 a point tells result, diabetes, family history and date', async () => {
    for (const name of ['Result', 'Diabetic', 'Family history of MI', 'Process Date'])
      await expect(tip.getByText(name, { exact: true })).toBeVisible()
  })
  const link = tip.getByRole('link', { name: /^#\d+$/ })
  await test.step('PAT-107 and leads to its requisition', async () => {
    await expect(link).toHaveAttribute('href', /\/requisitions\/\d+\/show/)
  })
  // It stays where it is while the mouse moves towards its link, and opens by keyboard too.
  const box = await link.boundingBox()
  if (!box) throw new Error('The link is not shown')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 20 })
  expect(await link.boundingBox()).toEqual(box)
  await page.keyboard.press('Escape')
  await expect(tip).toBeHidden()
  await chart
    .getByRole('button', { name: /^\d\d\/\d\d\/\d\d: / })
    .first()
    .focus()
  await expect(link).toBeVisible()
  await link.click()
  await expect(page).toHaveURL(/\/requisitions\/\d+\/show$/)
  await page.goBack()
  await expect(chart).toBeVisible()
  // What could not be computed is no point of the line.
  expect(await chart.locator('figcaption').textContent()).not.toContain('N/A')

  await page.route('**/api/v3.0/patients/*/serial', (route) =>
    route.fulfill({
      json: {
        data: [{ reqId: id, result: 'N/A', processDate: '2026-01-01T00:00:00Z', isDiabetic: 1, isFamilyHistory: 0 }],
        message: '',
      },
    }),
  )
  await test.step('PAT-108 PAT-102 without a number there is no point and no data', async () => {
    await page.reload()
    await expect(page.getByText('No data found')).toBeVisible()
  })
  await page.goto(`/requisitions/${id}/show`)
  await page.getByRole('button', { name: 'Upload Scanned Requisition' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('File', { exact: true }).setInputFiles({ ...pdf, name: 'history.pdf' })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog).toBeHidden()
  await page.goto(`/requisitions/${id}/show/patientHistory`)
  await expect(
    page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Requisitions' }),
  ).toHaveAttribute('href', '/requisitions')
  await test.step('PAT-116 a document of the history is downloaded', async () => {
    await expect(page.getByRole('button', { name: 'Download history.pdf' }).first()).toBeVisible()
  })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  // The top bar leads back, where a larger screen also has the way to the list; the other actions are behind its last button.
  await expect(page.getByRole('link', { name: 'Back to Requisitions' })).toHaveAttribute('href', '/requisitions')
  await expect(page.getByRole('button', { name: 'Menu' })).toHaveCount(0)
  await page.getByRole('button', { name: /^More/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Requisition', exact: true })).toHaveAttribute('href', /\/create$/)
  await page.getByRole('menuitem', { name: 'Print labels' }).click()
  await page.getByRole('dialog', { name: 'Print labels' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: 'Menu' }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  // A separate window; what the browser shows in it is up to the browser.
  const popup = page.waitForEvent('popup')
  const view = page.waitForResponse(/\/requisitions\/\d+\/docs\/\d+\/view$/)
  await page.getByRole('button', { name: 'View history.pdf' }).first().click()
  await popup
  expect((await (await view).json()).data.url).toContain('/storage/')
})

test('who sees what: staff, sales, a collaborator, and a client that reads its own requisition and no other', async ({
  page,
  expectAccessible,
}) => {
  const all: { id: number; clientId: number }[] = await api(page).get(
    'requisitions/ALL?page=1&perPage=100&sort=id,DESC',
  )
  await test.step('PAT-101 PAT-115 the history of the patient has a chart and the documents by type', async () => {
    await openAs(page, session, `/requisitions/${all[0]?.id}/show/patientHistory`)
    await expect(page.getByRole('heading', { name: 'SVDx' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Scanned Requisition' })).toBeVisible()
    await expectAccessible(page)
  })
  const tabs = page.getByRole('navigation', { name: 'Parts of the requisition' })
  const openOwn = async (account: string, view: string) => {
    const own = await sessionOf(page.request, account)
    const [first] = await callsOf(page.request, own).get(`requisitions/${view}?page=1&perPage=25`)
    await openAs(page, own, `/requisitions/${first.id}/show`)
    await expect(tabs.getByRole('link', { name: 'View' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Patient Information' })).toBeVisible()
    return first as { id: number; clientId: number }
  }
  const restricted = ['Activity', 'QA Notes', 'Patient History', 'Payments', 'Locations']
  await test.step('DETAIL-038 DETAIL-054 DETAIL-055 sales see everything and change nothing', async () => {
    await openOwn('sales', 'ALL')
    for (const name of restricted) await expect(tabs.getByRole('link', { name })).toBeVisible()
    for (const name of ['Edit', 'Duplicate This Requisition', 'Show SSN'])
      await expect(page.getByRole('button', { name })).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'What stops it going out' })).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Client ICD Notes' }).locator('[aria-disabled=true]')).toBeVisible()
  })
  await test.step('DETAIL-026 a collaborator has the short list of tabs', async () => {
    await openOwn('collaborator', 'ALL')
    for (const name of restricted) await expect(tabs.getByRole('link', { name })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Duplicate This Requisition' })).toHaveCount(0)
  })
  const own = await openOwn('client', 'CLIENTPHYSROLE')
  await test.step('DETAIL-025 a client has the short list of tabs', async () => {
    for (const name of restricted) await expect(tabs.getByRole('link', { name })).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'Downloads/Uploads' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  })
  await tabs.getByRole('link', { name: 'Status' }).click()
  await expect(page.getByRole('heading', { name: 'Requisition Status' })).toBeVisible()
  await test.step('DETAIL-036 the billing status is for the laboratory', async () => {
    await expect(page.getByRole('heading', { name: 'Billing Status' })).toHaveCount(0)
  })
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveCount(0)
  await expectAccessible(page)
  const other = all.find(({ clientId }) => clientId !== own.clientId)?.id
  await page.goto(`/requisitions/${other}/show`)
  await expect(page.getByText('404: Not found')).toBeVisible()
  await expect(page.getByText(`There is no requisition #${other} that you can open.`)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Back to Requisitions' }).click()
  await expect(page).toHaveURL('/requisitions')
})

test('ISSUE-30 PERM-116 PERM-122 the Close button of an issue is for users of the department that reported it', async ({
  page,
}) => {
  const person = await newPerson(page.request)
  const own = await sessionOf(page.request, person.userName, person.password)
  const calls = callsOf(page.request, own)
  const [{ deptId: ours }] = own.userDepts as [{ deptId: number }]
  const others: { id: number }[] = await calls.get('depts')
  const theirs = others.find(({ id }) => id !== ours)?.id
  const id = await newRequisition(calls)
  await calls.post(`requisitions/${id}/issues`, { reporterDeptId: ours, resolverDeptId: theirs, issueDesc: 'Ours' })
  await calls.post(`requisitions/${id}/issues`, { reporterDeptId: theirs, resolverDeptId: ours, issueDesc: 'Theirs' })
  await openAs(page, own, `/requisitions/${id}/show/issues`)
  const issue = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
  const close = (name: string) => issue(name).getByRole('button', { name: 'Close', exact: true })
  await expect(issue('Theirs').getByRole('combobox', { name: 'Status' })).toBeVisible()
  await expect(close('Theirs')).toHaveCount(0)
  await close('Ours').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close issue' }).click()
  await expect(issue('Ours')).toContainText('closed by')
  await expect(close('Ours')).toHaveCount(0)
})

test('DETAIL-174 LIST-149 a fail code that somebody else has added is not taken away by the next choice', async ({
  page,
}) => {
  const id = await newRequisition(api(page))
  const [theirs, mine]: { reasonId: number; failCode: string }[] = await api(page).get('reasons/FAIL')
  await openAs(page, session, `/requisitions/${id}/show/status`)
  const codes = page.getByRole('combobox', { name: 'Fail Codes' })
  await expect(codes).toBeVisible()
  await api(page).put(`requisitions/${id}/fail_codes`, { failIds: [theirs?.reasonId] })
  // The requisition is read again sooner than its codes.
  const letGo = await hold(page, `**/requisitions/${id}/req_reasons`)
  const read = page.waitForResponse(
    (reply) => reply.url().endsWith(`/requisitions/${id}`) && reply.request().method() === 'GET',
  )
  await choose(page, 'Status', 'Accessioned')
  await expect(page.getByText('Somebody else has changed this record in the meantime.')).toBeVisible()
  await read
  letGo()
  await expect(codes).toContainText(theirs?.failCode ?? '')
  await codes.click()
  await page
    .getByRole('option', { name: mine?.failCode ?? '' })
    .first()
    .click()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Fail Codes successfully updated')).toBeVisible()
  const stored: { reasonId: number }[] = await api(page).get(`requisitions/${id}/req_reasons`)
  expect(stored.map(({ reasonId }) => reasonId).sort()).toEqual([theirs?.reasonId, mine?.reasonId].sort())
})

test('DETAIL-174 results under a fail code of the whole requisition are marked as not reported, for the laboratory and for a practice', async ({
  page,
  expectAccessible,
}) => {
  const client = await sessionOf(page.request, 'client')
  // From the middle: the other journeys of this practice take the first and the last.
  const rows: { id: number; testCodes: string }[] = await callsOf(page.request, client).get(
    'requisitions/CLIENTPHYSROLE?page=1&perPage=100',
  )
  const id = rows.slice(rows.length / 2).find(({ testCodes }) => testCodes.includes('CHOL'))?.id as number
  const codes: { reasonId: number; failCode: string }[] = await api(page).get('reasons/FAIL')
  const code = codes.find(({ failCode }) => failCode === '907')
  const banner = page.getByRole('alert').filter({ hasText: 'Fail code on this requisition: 907 ' })
  const tests = page.getByRole('table', { name: 'Tests' })
  const row = tests.getByRole('row', { name: /^CHOL / })
  // An earlier attempt may have left it.
  await api(page).put(`requisitions/${id}/fail_codes`, { failIds: [] })
  await openAs(page, session, `/requisitions/${id}/show/tests`)
  await expect(row).toBeVisible()
  await expect(page.getByText(/· 0 failed ·/)).toBeVisible()
  await expect(page.getByText('Not reported')).toHaveCount(0)
  const entered = await page.getByLabel('CHOL result').inputValue()
  expect(entered).not.toBe('')

  await api(page).put(`requisitions/${id}/fail_codes`, { failIds: [code?.reasonId] })
  await page.reload()
  await expect(banner).toContainText('Its tests are reported as not performed')
  await expect(row).toContainText('Not reported')
  await expect(row).toContainText('907')
  await expect(page.getByLabel('CHOL result')).toHaveValue(entered)
  await expect(page.getByText(/^0 resulted · \d+ failed · 0 without result/)).toBeVisible()
  await expectAccessible(page)
  await picture(page, 'tests-failed-whole')

  await openAs(page, client, `/requisitions/${id}/show`)
  await expect(page.getByText('Failed 907')).toBeVisible()
  await page.getByRole('link', { name: 'Tests', exact: true }).click()
  await expect(banner).toBeVisible()
  await expect(row).toContainText('907')
  await expectAccessible(page)
  await api(page).put(`requisitions/${id}/fail_codes`, { failIds: [] })
  await page.reload()
  await expect(row).toBeVisible()
  await expect(page.getByText(/907/)).toHaveCount(0)
})

test('DETAIL-174 results are not shown as long as it is not known whether the whole requisition has failed', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  const rows: { id: number; testCodes: string }[] = await api(page).get('requisitions/PROCESS?page=1&perPage=20')
  const id = rows.find(({ testCodes }) => testCodes !== '')?.id as number
  const codes = `**/requisitions/${id}/req_reasons`
  await page.route(codes, (route) => route.fulfill({ status: 500, json: { message: 'The database is asleep' } }))
  await openAs(page, session, `/requisitions/${id}/show/tests`)
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Tests' })).toHaveCount(0)
  await page.unroute(codes)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('table', { name: 'Tests' })).toBeVisible()
})
