import type { APIRequestContext, Page } from '@playwright/test'
import { go } from '../support/go.ts'
import { bearer, openAs, sessionOf } from '../support/people.ts'
import { signIn } from '../support/sign-in.ts'
import { expect, picture, test } from '../support/test.ts'

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
]

type Session = Awaited<ReturnType<typeof sessionOf>>
const api = async (request: APIRequestContext, session: Session, method: string, path: string, data?: object) =>
  (await request.fetch(`/api/v3.0/${path}`, { method, headers: bearer(session), ...(data && { data }) })).json()
interface Row {
  id: number
  testCodes: string
}
const rowsOf = async (request: APIRequestContext, session: Session, view: string): Promise<Row[]> =>
  (await api(request, session, 'GET', `requisitions/${view}?perPage=100`)).data

/** What 'next status' would do with all of a tab. */
const plan = async (request: APIRequestContext, session: Session, view: string) => {
  const ids = (await rowsOf(request, session, view)).map(({ id }) => id)
  const path = `requisitions/${view}/next_status/bulk_move?id=${ids}`
  const { data } = await api(request, session, 'PUT', path, { dryRun: true })
  return data as { moved: number[]; refused: { id: number }[] }
}

/** The demo data decides which department that is. */
const departmentWithIssues = async (request: APIRequestContext, session: Session): Promise<string> => {
  for (const { id } of (await api(request, session, 'GET', 'depts')).data as { id: number }[])
    if ((await api(request, session, 'GET', `requisitions/ALL?perPage=1&filter=[issueDeptId:${id}]`)).total > 0)
      return String(id)
  throw new Error('No department has open issues')
}

const listOf = (tab: string, ...ids: number[]) => {
  const filter = JSON.stringify([{ id: 'reqId', value: ids.map(String), viewValue: ids.join(', ') }])
  return `/requisitions?status=${tab}&smartFilter=${encodeURIComponent(filter)}`
}
const table = (page: Page) => page.getByRole('table').first()
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Views' })
const currentTab = (page: Page, tab: string) =>
  tabs(page)
    .locator('[aria-current="page"]')
    .filter({ hasText: new RegExp(`^${tab}$`) })
const expectRows = (page: Page) => expect(table(page)).toHaveAttribute('aria-busy', 'false')
/** The list of a tab, with these requisitions alone, and its rows in place. */
const goToList = async (page: Page, tab: string, ...ids: number[]) => {
  await go(page, listOf(tab, ...ids), currentTab(page, tab))
  const tags = page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')
  await expect(tags.filter({ hasText: `Req ID:${ids.join(', ')}` })).toBeVisible()
  // The filter is there before the table asks: until then it shows the rows of before, and is not busy.
  const rows = table(page).locator('tbody tr.row')
  await expect(rows).toHaveCount(ids.length)
  for (const id of ids) await expect(rows.filter({ hasText: String(id) })).toBeVisible()
  await expectRows(page)
}
const titleOf = (page: Page, id: number) => page.getByRole('heading', { level: 1, name: new RegExp(`^#${id} `) })
const bar = (page: Page) => page.getByRole('navigation', { name: 'Requisitions by status' })
const tick = (page: Page, id: number) => page.getByRole('checkbox', { name: new RegExp(`^Select #${id} `) })
const expand = (page: Page, id?: number) =>
  page.getByRole('button', { name: id ? new RegExp(`^Expand #${id} `) : /^Expand #/ }).first()
const headers = (page: Page) =>
  table(page)
    .getByRole('columnheader')
    .evaluateAll((cells) => cells.map((cell) => (cell.textContent ?? '').trim().replace(/\s+/g, ' ')).filter(Boolean))

const identity = ['Req ID', 'Patient Name', 'Patient DOB']
const resulted = ['Partial Report', 'Partial Released', 'Date of Collection', 'Test Codes', 'TAT']
const released = ['Client', 'Physician', 'Status', 'Partial Report', 'Partial Released', 'Delivery Method']
/** The columns of each tab after the three that name a requisition, and what opens under its rows. */
const layouts: Record<string, { columns: string[]; under: string }> = {
  All: {
    columns: [
      'Current Requisition Status',
      'Physician',
      'Client',
      'Date Collected',
      'Sale Rep.',
      'Test Codes',
      'Bill to type',
      'Flag',
      'Issues',
    ],
    under: 'Specimens',
  },
  Logged: {
    columns: ['Date Collected', 'Date Received', 'Date Logged', 'Test Codes', 'Issues'],
    under: 'Scanned documents',
  },
  Accessioned: {
    columns: [
      'Collaborator',
      'Client',
      'Ordering Physician',
      'Sex',
      'Age',
      'Test Ordered',
      'Date/Time Collect.',
      'Date/Time Received.',
      'Pass Codes',
      'Flag',
    ],
    under: 'Specimens',
  },
  Processing: {
    columns: ['Status', 'Sex', 'Date Collected', 'Date Received', 'Date Logged', 'Test Codes', 'Issues'],
    under: 'Test results',
  },
  Resulted: { columns: resulted, under: 'Resulted tests' },
  Reported: {
    columns: [...resulted.slice(0, 4), 'Demographic QC', 'Flag', 'TAT'],
    under: 'Resulted tests',
  },
  Released: { columns: released, under: 'Released reports' },
  Delivered: {
    columns: [...released, 'Latest Delivery Method', 'Latest Delivery Date', 'Latest Delivered By', 'Bill To'],
    under: 'Released reports',
  },
  Billing: { columns: ['Bill To', 'Insurance Name', 'Sales Rep', 'Status', 'Balance'], under: 'Scanned documents' },
}

/** The columns that the specification names, each with its tab. */
const namedColumns = [
  ['LIST-060', 'All', 'Req ID'],
  ['LIST-061', 'All', 'Patient Name'],
  ['LIST-062', 'All', 'Patient DOB'],
  ['LIST-063', 'All', 'Current Requisition Status'],
  ['LIST-064', 'All', 'Physician'],
  ['LIST-065', 'All', 'Client'],
  ['LIST-066', 'All', 'Date Collected'],
  ['LIST-067', 'All', 'Sale Rep.'],
  ['LIST-068', 'All', 'Test Codes'],
  ['LIST-069', 'All', 'Bill to type'],
  ['LIST-070', 'All', 'Flag'],
  ['LIST-071', 'All', 'Issues'],
  ['LIST-073', 'Logged', 'Req ID'],
  ['LIST-074', 'Logged', 'Patient Name'],
  ['LIST-075', 'Logged', 'Patient DOB'],
  ['LIST-076', 'Logged', 'Date Collected'],
  ['LIST-077', 'Logged', 'Date Received'],
  ['LIST-078', 'Logged', 'Date Logged'],
  ['LIST-079', 'Logged', 'Test Codes'],
  ['LIST-080', 'Logged', 'Issues'],
  ['LIST-081', 'Accessioned', 'Collaborator'],
  ['LIST-082', 'Accessioned', 'Client'],
  ['LIST-083', 'Accessioned', 'Ordering Physician'],
  ['LIST-084', 'Accessioned', 'Sex'],
  ['LIST-085', 'Accessioned', 'Age'],
  ['LIST-086', 'Accessioned', 'Test Ordered'],
  ['LIST-087', 'Accessioned', 'Date/Time Collect.'],
  ['LIST-088', 'Accessioned', 'Date/Time Received.'],
  ['LIST-089', 'Accessioned', 'Pass Codes'],
  ['LIST-090', 'Accessioned', 'Flag'],
  ['LIST-091', 'Processing', 'Req ID'],
  ['LIST-092', 'Processing', 'Patient Name'],
  ['LIST-093', 'Processing', 'Patient DOB'],
  ['LIST-094', 'Processing', 'Status'],
  ['LIST-095', 'Processing', 'Sex'],
  ['LIST-096', 'Processing', 'Date Collected'],
  ['LIST-097', 'Processing', 'Date Received'],
  ['LIST-098', 'Processing', 'Date Logged'],
  ['LIST-099', 'Processing', 'Test Codes'],
  ['LIST-100', 'Processing', 'Issues'],
  ['LIST-101', 'Resulted', 'Partial Report'],
  ['LIST-102', 'Resulted', 'Partial Released'],
  ['LIST-103', 'Resulted', 'Date of Collection'],
  ['LIST-104', 'Resulted', 'Test Codes'],
  ['LIST-105', 'Resulted', 'TAT'],
  ['LIST-107', 'Reported', 'Demographic QC'],
  ['LIST-108', 'Reported', 'Flag'],
  ['LIST-109', 'Released', 'Client'],
  ['LIST-110', 'Released', 'Physician'],
  ['LIST-111', 'Released', 'Status'],
  ['LIST-112', 'Released', 'Partial Report'],
  ['LIST-113', 'Released', 'Partial Released'],
  ['LIST-114', 'Released', 'Delivery Method'],
  ['LIST-115', 'Delivered', 'Client'],
  ['LIST-116', 'Delivered', 'Delivery Method'],
  ['LIST-117', 'Delivered', 'Latest Delivery Method'],
  ['LIST-118', 'Delivered', 'Latest Delivery Date'],
  ['LIST-119', 'Delivered', 'Latest Delivered By'],
  ['LIST-120', 'Delivered', 'Bill To'],
  ['LIST-121', 'Billing', 'Bill To'],
  ['LIST-122', 'Billing', 'Insurance Name'],
  ['LIST-123', 'Billing', 'Sales Rep'],
] as const

/** The tabs of the laboratory but that of the batches. */
const namedTabs = [
  ['LIST-018', 'All'],
  ['LIST-019', 'Logged'],
  ['LIST-020', 'Accessioned'],
  ['LIST-021', 'Processing'],
  ['LIST-022', 'Resulted'],
  ['LIST-023', 'Reported'],
  ['LIST-024', 'Released'],
  ['LIST-025', 'Delivered'],
  ['LIST-026', 'Billing'],
] as const

test('LIST-001 LIST-040 LIST-041 LIST-189 LIST-190 LIST-228..LIST-230 the laboratory walks through the tabs: columns, and what opens under a row', async ({
  page,
  expectAccessible,
}) => {
  test.slow()
  const staff = await sessionOf(page.request, 'staff')
  await test.step('LIST-010 LIST-014 an unknown status shows all of them under the title Requisitions', async () => {
    await openAs(page, staff, '/requisitions?status=Nonsense&page=2')
    await expect(page.getByRole('heading', { name: 'Requisitions', exact: true })).toBeVisible()
    await expect(tabs(page).getByRole('link', { name: 'All', exact: true })).toHaveAttribute('aria-current', 'page')
  })
  await test.step('LIST-030 LIST-036 LIST-037 LIST-038 staff have the status bar with counts, the filter panel, and the create button that leads to the form', async () => {
    await expect(bar(page).getByRole('link', { name: /^Logged/ })).toContainText(/\d/)
    await expect(page.getByRole('button', { name: 'View & Filters', exact: true })).toBeVisible()
    await expect(page.getByRole('complementary', { name: 'View & Filters' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Create' })).toHaveAttribute('href', '/requisitions/create')
  })
  await test.step('LIST-128 LIST-133 number and name lead staff to the requisition', async () => {
    for (const place of [0, 1])
      await expect(table(page).locator('tbody tr.row').first().getByRole('link').nth(place)).toHaveAttribute(
        'href',
        /^\/requisitions\/\d+\/show$/,
      )
  })
  const issue = page.getByRole('link', { name: /^Requisition contains uncompleted issues: \w/ }).first()
  const withIssues = JSON.stringify([
    { id: 'issueDeptId', value: await departmentWithIssues(page.request, staff), viewValue: 'One with issues' },
  ])
  const tag = page.getByRole('button', { name: 'Remove Issue Department: One with issues' })
  await test.step('LIST-012 LIST-013 LIST-139 LIST-140 without a status all are shown; the icon of open issues names departments and leads to the issues', async () => {
    await go(page, `/requisitions?smartFilter=${encodeURIComponent(withIssues)}&page=2`, tag)
    await expectRows(page)
    await expect(issue).toHaveAttribute('href', /\/requisitions\/\d+\/show\/issues$/)
    await expect(currentTab(page, 'All')).toBeVisible()
  })
  // Filters stay when the tab changes; these tabs are looked at without one.
  await tag.click()
  await expect(tag).toHaveCount(0)
  const seen: Record<string, string[]> = {}
  for (const [tab, { columns, under }] of Object.entries(layouts)) {
    await tabs(page).getByRole('link', { name: tab, exact: true }).click()
    await expect(page).toHaveURL(`/requisitions?status=${tab}`)
    // The table of the tab before stays until the next one has been drawn.
    await expect.poll(() => headers(page)).toEqual([...identity, ...columns])
    seen[tab] = await headers(page)
    await expectRows(page)
    await expand(page).click()
    const opened = page.getByRole('region', { name: new RegExp(`^${under} of #`) })
    await expect(opened).toBeVisible()
    await expect(opened.getByText('Data loading')).toHaveCount(0)
    if (columns.includes('Partial Report'))
      await expect(
        table(page)
          .getByText(/^(Yes|No)$/)
          .first(),
      ).toBeVisible()
    if (process.env.E2E_SCREENS) await takePictures(page, tab)
  }
  for (const [id, tab] of namedTabs)
    await test.step(`${id} there is the tab ${tab}`, () => expect(seen).toHaveProperty(tab))
  for (const [id, tab, column] of namedColumns)
    await test.step(`${id} the tab ${tab} has the column ${column}`, () => expect(seen[tab]).toContain(column))
  await test.step('LIST-106 the tab Reported has all columns of Resulted', () =>
    expect(seen.Reported).toEqual(expect.arrayContaining(seen.Resulted ?? [])))
  await test.step('LIST-072 LIST-138 no tab shows the column Notify Patient to anybody', () =>
    expect(Object.values(seen).flat()).not.toContain('Notify Patient?'))
  await test.step('LIST-227 the released reports expand under a row, one or all', async () => {
    await tabs(page).getByRole('link', { name: 'Delivered', exact: true }).click()
    await expect.poll(() => headers(page)).toContain('Latest Delivery Date')
    await expectRows(page)
    await page.getByRole('button', { name: 'Expand all' }).click()
    await expect(page.getByRole('heading', { name: 'Released reports' }).nth(2)).toBeVisible()
    await expect(page.getByRole('region', { name: 'Released reports' }).first().getByRole('table')).toBeVisible()
    // A tip is on the screen for the pointer alone.
    await page.mouse.move(0, 0)
    await expect(page.getByRole('tooltip')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await expect(page.getByRole('heading', { name: 'Released reports' })).toHaveCount(0)
  })
  await test.step('LIST-027 the tab of billing batches is reached by its link', async () => {
    await tabs(page).getByRole('link', { name: 'Billing Batch', exact: true }).click()
    await expect(page).toHaveURL(/status=BillingBatch/)
    await expect(page.getByLabel(/Billing Date/).first()).toBeVisible()

    // Dark, and on a phone, where the tabs show the numbers.
  })
  await tabs(page).getByRole('link', { name: 'All', exact: true }).click()
  await expect.poll(() => headers(page)).toContain('Current Requisition Status')
  await expectRows(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(tabs(page).getByRole('link', { name: 'Logged', exact: true })).toBeVisible()
  await expect(tabs(page)).toContainText(/Logged\d+/)
  await expect(bar(page)).toBeHidden()
  await expect(page.getByRole('list', { name: 'Requisitions' }).getByRole('listitem').first()).toBeVisible()
  await expectAccessible(page)
})

const takePictures = async (page: Page, tab: string) => {
  for (const size of sizes) {
    await page.setViewportSize(size)
    await expect(page.getByText('Data loading')).toHaveCount(0)
    await picture(page, `requisitions-${tab}-${size.width}`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('LIST-053 LIST-054 PERM-080 PERM-081 a client and a physician download what is released; the rest reads Result Pending', async ({
  page,
}) => {
  for (const account of ['client', 'physician'] as const) {
    const session = await sessionOf(page.request, account)
    const [ready] = await rowsOf(page.request, session, 'DELIVER')
    const [waiting] = await rowsOf(page.request, session, 'PROCESS')
    if (!ready || !waiting) throw new Error(`The ${account} has nothing delivered, or nothing in process`)
    await openAs(page, session, '/requisitions')
    await goToList(page, 'All', ready.id, waiting.id)
    const rowOf = (id: number) =>
      table(page)
        .locator('tbody tr.row')
        .filter({ hasText: String(id) })
    const download = (id: number) => rowOf(id).getByRole('button', { name: `Download the reports of #${id}` })
    await expect(rowOf(waiting.id)).toContainText('Result Pending')
    await expect(download(waiting.id)).toHaveCount(0)
    await expect(rowOf(ready.id)).not.toContainText('Result Pending')
    const file = page.waitForEvent('download')
    await download(ready.id).click()
    expect((await file).suggestedFilename()).toMatch(/\.(pdf|zip)$/)
    const refused = await api(page.request, session, 'POST', 'requisitions/bulk_download', {
      reqIds: [waiting.id],
      callSource: 'VIEW',
    })
    expect(refused.data?.url ?? null).toBeNull()
  }
})

test('LIST-136 every other role has its own tabs, columns and actions', async ({ page, expectAccessible }) => {
  test.slow()
  const stages = ['Logged', 'Accessioned', 'Processing', 'Resulted', 'Reported', 'Released', 'Delivered']
  const walk = async (names: readonly string[], isSeen: (column: string) => boolean, isPractice = false) => {
    await expect(tabs(page).getByRole('link')).toHaveText(['All', ...names])
    for (const name of names) {
      await tabs(page).getByRole('link', { name, exact: true }).click()
      // Practices and physicians come for the report: it can be had in the row itself.
      const report = isPractice && ['Released', 'Delivered'].includes(name) ? ['Report'] : []
      const columns = [...identity, ...(layouts[name]?.columns.filter(isSeen) ?? []), ...report]
      await expect.poll(() => headers(page)).toEqual(columns)
      await expectRows(page)
      await expect(page.getByRole('alert')).toHaveCount(0)
    }
    await tabs(page).getByRole('link', { name: 'All', exact: true }).click()
    await expect(currentTab(page, 'All')).toBeVisible()
    await expectRows(page)
  }

  for (const [account, column, view, ids] of [
    ['client', 'Physician', 'LIST-015 LIST-028', 'LIST-049 LIST-056'],
    ['physician', 'Client', 'LIST-016 LIST-029', 'LIST-050 LIST-057'],
  ] as const) {
    const session = await sessionOf(page.request, account)
    const own = [...identity, 'Current Requisition Status', column, 'Date Collected', 'Test Codes', 'Report']
    await test.step(`${view} LIST-207 a ${account} has a list of its own, whatever status is asked for`, async () => {
      const asked = page.waitForResponse(/requisitions\/CLIENTPHYSROLE\?/)
      await openAs(page, session, '/requisitions?status=Billing')
      expect((await asked).status()).toBe(200)
      await expect.poll(() => headers(page)).toEqual(own)
    })
    await walk(stages, () => true, true)
    await expect.poll(() => headers(page)).toEqual(own)
    await expect(table(page).getByRole('link')).toHaveCount(0)
    await test.step(`the tabs of a ${account} have the number of rows beside them`, async () => {
      const total = /\d+$/.exec(
        (await page.locator('footer[aria-label="Pages"] .range').innerText()).replaceAll(',', ''),
      )?.[0]
      await expect(
        tabs(page).locator('span', { has: page.getByRole('link', { name: 'All', exact: true }) }),
      ).toHaveText(`All${Number(total).toLocaleString('en-US')}`)
    })
    await test.step(`${ids} LIST-031 a ${account} has no export, status bar or create button, and fewer filters`, async () => {
      await expect(page.getByRole('button', { name: 'Export All' })).toHaveCount(0)
      await expect(bar(page)).toHaveCount(0)
      await expect(page.getByRole('link', { name: 'Create' })).toHaveCount(0)
      await page.getByRole('button', { name: 'View & Filters', exact: true }).waitFor()
      const panel = page.getByRole('complementary').last()
      await expect(panel.getByLabel('Req ID')).toBeVisible()
      for (const hidden of ['Lab', 'Sales Rep', 'Pass Codes'])
        await expect(page.getByLabel(hidden, { exact: true })).toHaveCount(0)
    })
    const [ready] = await rowsOf(page.request, session, 'DELIVER')
    const [waiting] = await rowsOf(page.request, session, 'PROCESS')
    if (!ready || !waiting) throw new Error(`The demo data has nothing ready or nothing waiting for a ${account}`)
    await test.step(`LIST-055 a ${account} is not offered what cannot be downloaded yet: it says Result Pending`, async () => {
      await goToList(page, 'All', waiting.id)
      await expect(table(page).getByText('Result Pending')).toBeVisible()
      await expect(table(page).getByRole('button', { name: /^Download/ })).toHaveCount(0)
    })
    await test.step('LIST-045 reports are downloaded from the row and for the ticked rows', async () => {
      await goToList(page, 'Delivered', ready.id)
      await expect(table(page).getByRole('link')).toHaveCount(0)
      const file = page.waitForResponse(/bulk_download$/)
      await table(page)
        .getByRole('button', { name: `Download the reports of #${ready.id}` })
        .click()
      expect((await (await file).json()).data.url).toContain('/storage/')
      await goToList(page, 'All', ready.id)
      await expand(page, ready.id).click()
      await expect(page.getByRole('region', { name: 'Released reports' }).getByRole('button')).toBeVisible()
      await tick(page, ready.id).check()
      await page.getByRole('button', { name: 'Bulk download' }).click()
      await expect(page.getByRole('dialog')).toContainText('1 will be in the file, 0 will not')
      await page.getByRole('button', { name: 'Download the reports of 1' }).click()
      await expect(page.getByText('If download failed, please click here').first()).toBeVisible()
      await expect(table(page).getByRole('row').filter({ hasText: 'In the file' })).toHaveCount(1)
      await expect(tick(page, ready.id)).toBeChecked()
    })
    await expectAccessible(page)
  }

  const links = table(page).locator('tbody tr.row').first().getByRole('link')
  for (const [account, ids] of [
    ['sales', 'LIST-051 LIST-129 LIST-134 LIST-137 VIEW-47'],
    ['collaborator', 'LIST-047 LIST-130 LIST-135 VIEW-47'],
  ] as const) {
    const isSales = account === 'sales'
    await openAs(page, await sessionOf(page.request, account), '/requisitions')
    await expect(tabs(page)).toBeVisible()
    await walk([...stages, 'Billing'], (column) => column !== (isSales ? 'Flag' : 'Balance'))
    await test.step(`${ids} LIST-031 a ${account} has links to requisitions, the export or not, and no status bar`, async () => {
      for (const place of [0, 1]) await expect(links.nth(place)).toHaveAttribute('href', /\/requisitions\/\d+\/show$/)
      await expect(page.getByRole('button', { name: 'Export All' })).toHaveCount(isSales ? 0 : 1)
      await expect(bar(page)).toHaveCount(0)
      await expect(
        page.getByRole('complementary', { name: 'View & Filters' }).getByLabel('Collaborator', { exact: true }),
      ).toHaveCount(isSales ? 1 : 0)
    })
  }

  await test.step('LIST-011 LIST-017 LIST-039 LIST-052 LIST-058 LIST-059 VIEW-02 billing users start with the batches, and have a date filter instead of the panel', async () => {
    await openAs(page, await sessionOf(page.request, 'billing'), '/requisitions')
    await expect(page.getByRole('heading', { name: 'Billed Requisitions' })).toBeVisible()
    await expect(tabs(page).getByRole('link')).toHaveText(['Billing Batch', 'Billing'])
    await expect(page.getByRole('button', { name: 'View & Filters', exact: true })).toHaveCount(0)
    await expect(page.getByLabel(/Billing Date/).first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Export All' })).toHaveCount(0)
  })
  await test.step('LIST-124 LIST-125 a batch opens into its requisitions, and is downloaded with others', async () => {
    await page
      .getByRole('button', { name: /^Expand Batch/ })
      .first()
      .click()
    await expect(table(page).locator('tr.subrow').getByText(/\d{7}/).first()).toBeVisible()
    await page
      .getByRole('checkbox', { name: /^Select Batch/ })
      .first()
      .check()
    await expect(page.getByLabel('Selected rows').getByRole('button', { name: 'Bulk Download' })).toBeVisible()
  })
  await tabs(page).getByRole('link', { name: 'Billing', exact: true }).click()
  const forBilling = (layouts.Billing?.columns ?? []).filter((column) => column !== 'Balance')
  await expect.poll(() => headers(page)).toEqual([...identity, ...forBilling])
})

test('LIST-007 LIST-042 LIST-229 one requisition goes from Logged to Billed by the screens alone', async ({ page }) => {
  test.slow()
  const staff = await sessionOf(page.request, 'staff')
  const { moved } = await plan(page.request, staff, 'LOG')
  // Numbers only, and not the first rows, which other journeys tick.
  const usual: Record<string, string> = { A1C: '5.4', HSCRP: '1.5', LPA: '20', HDL: '50', TRIG: '120', CHOL: '180' }
  const id = (await rowsOf(page.request, staff, 'LOG')).findLast(
    (row) => moved.includes(row.id) && row.testCodes.split(',').every((code) => code.trim() in usual),
  )?.id as number
  const next = async (tab: string, to: string) => {
    await goToList(page, tab, id)
    await tick(page, id).check()
    await page.getByRole('button', { name: `Next status: ${to}` }).click()
    // What it waits for may still be in the making: a report.
    const dialog = page.getByRole('dialog')
    await expect(async () => {
      await expect(dialog)
        .toContainText('1 will move', { timeout: 10_000 })
        .catch(async (error) => {
          await dialog.getByRole('button', { name: 'Check again' }).click()
          throw error
        })
    }).toPass()
    await dialog.getByRole('button', { name: 'Move 1 requisition' }).click()
    // Nothing of this one was sent: it is asked how its report was delivered.
    if (to === 'Delivered') await page.getByRole('button', { name: 'Handed over by hand' }).click()
    await expect(page.getByText(`1 requisition(s) moved to ${to}`).first()).toBeVisible()
    await expect(tick(page, id)).toHaveCount(0)
  }
  await openAs(page, staff, '/requisitions')
  await expect(tabs(page)).toBeVisible()
  await test.step('LIST-191 LIST-192 Logged moves to Accessioned, and that to Processing', async () => {
    await next('Logged', 'Accessioned')
    await next('Accessioned', 'Processing')
  })
  await test.step('LIST-196 there is no next status from Processing', async () => {
    await goToList(page, 'Processing', id)
    await expect(page.getByRole('button', { name: /Next status/ })).toHaveCount(0)
  })
  await expand(page, id).click()
  const grid = page.getByRole('table', { name: 'Tests', exact: true })
  const cells = grid.getByRole('textbox', { name: / result$/ })
  await expect(cells.first()).toBeEditable()
  // Far from the patient's earlier result: a question is asked, and the value confirmed.
  const doubt = page.getByRole('button', { name: /^Confirm / }).first()
  for (const cell of await cells.all()) {
    if (!(await cell.isEditable())) continue
    const code = (await cell.getAttribute('aria-label'))?.split(' ')[0] ?? ''
    const answer = page.waitForResponse((reply) => reply.request().method() !== 'GET')
    await cell.fill(usual[code] ?? '')
    await cell.press('Enter')
    await Promise.race([answer, doubt.click()])
  }
  await test.step('LIST-197 the requisition leaves Processing once its results are saved', async () => {
    await expect(async () => {
      if (await doubt.isVisible()) await doubt.click({ timeout: 10_000 })
      await expect(tick(page, id)).toHaveCount(0, { timeout: 5000 })
    }).toPass()
  })
  await goToList(page, 'Resulted', id)
  await tick(page, id).check()
  await page.getByRole('button', { name: 'Make reports' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Make reports: 1/ })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await test.step('LIST-193 Resulted moves to Reported', async () => {
    await next('Resulted', 'Reported')
  })
  await test.step('LIST-107 LIST-141 LIST-147 demographic QC is set in its cell and saved by itself', async () => {
    await goToList(page, 'Reported', id)
    const saved = page.waitForResponse((reply) => reply.url().includes('/dem_qc') && reply.status() === 200)
    await page.getByRole('switch', { name: `Demographic QC of #${id}` }).click()
    await saved
    await go(page, `/requisitions/${id}/show/reportsDelivery`, titleOf(page, id))
    await expect(page.getByRole('switch', { name: `Demographic QC of #${id}` })).toBeChecked()
  })
  await page.getByLabel(/^Lab QC Result of/).selectOption('RELEASE')
  await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click()
  await expect(page.getByText('Lab QC Result Successfully Update').first()).toBeVisible()
  await test.step('LIST-194 LIST-195 Reported moves to Released, and that to Delivered', async () => {
    await next('Reported', 'Released')
    await next('Released', 'Delivered')
  })
  await test.step('LIST-008 billing follows Delivered', async () => {
    await go(page, `/requisitions/${id}/show/status`, titleOf(page, id))
    await page.getByRole('button', { name: 'Run billing' }).click()
    await expect(page.getByRole('link', { name: /^Status Billed/ })).toBeVisible()
    await goToList(page, 'Billing', id)
    await expect(page.getByRole('link', { name: String(id), exact: true })).toBeVisible()
  })
})

test('LIST-043 LIST-044 LIST-142 LIST-148 LIST-198 LIST-199 a day at the list: scans, partial moves, codes, a move back, and the work of others', async ({
  page,
  expectAccessible,
}) => {
  test.slow()
  const staff = await sessionOf(page.request, 'staff')
  const { moved, refused } = await plan(page.request, staff, 'LOG')
  const [good, taken, bad] = [moved.at(-2) as number, moved.at(-3) as number, refused.at(-1)?.id as number]

  await openAs(page, staff, '/requisitions')
  await expect(tabs(page)).toBeVisible()

  // What can move moves; what cannot says why, and stays ticked. Somebody else is quicker with one of them: it moves once.
  await goToList(page, 'Logged', good, taken, bad)
  for (const id of [good, taken, bad]) await tick(page, id).check()
  await page.getByRole('button', { name: 'Next status: Accessioned' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('2 will move, 1 will not')).toBeVisible()
  await expect(dialog.getByRole('row', { name: new RegExp(`#${bad} .*Has no .*Open `) })).toBeVisible()
  await expectAccessible(page)
  await api(page.request, staff, 'PUT', `requisitions/LOG/next_status/bulk_move?id=${taken}`, {})
  await dialog.getByRole('button', { name: 'Move 2 requisitions' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('1 of 3 moved to Accessioned.')).toBeVisible()
  const rowOf = (id: number) => table(page).getByRole('row', { name: new RegExp(`\\b${id}\\b`) })
  await expect(rowOf(good)).toContainText('Moved to Accessioned')
  await expect(rowOf(taken)).toContainText('Is already Accessioned')
  await expect(rowOf(bad)).toContainText(/Has no .*Open /)
  await expect(tick(page, good)).toHaveCount(0)
  await expect(tick(page, bad)).toBeChecked()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'See the other 2' }).click()
  await expect(rowOf(good)).toHaveCount(0)
  await page.getByRole('button', { name: 'Dismiss the outcome' }).click()
  await expect(rowOf(taken)).toHaveCount(0)
  await expect(tick(page, bad)).toBeChecked()

  // Codes chosen in a cell are saved a second after the last choice.
  await goToList(page, 'Accessioned', good)
  await page.getByRole('combobox', { name: `Pass Codes of #${good}` }).click()
  const chosenAt = Date.now()
  const sent = page.waitForRequest(/\/pass_codes$/)
  await page.getByRole('option').first().click()
  await sent
  expect(Date.now() - chosenAt).toBeGreaterThan(900)
  await expect(page.getByText('Pass Codes successfully updated')).toBeVisible()
  // 110 is for tests alone; the server would refuse it here.
  await expect(page.getByRole('option', { name: 'Result confirmed by repeat' })).toHaveCount(0)

  // Another user undoes it meanwhile, and the next choice conflicts: theirs or mine.
  await api(page.request, staff, 'PUT', `requisitions/${good}/pass_codes`, { passIds: [] })
  await page.getByRole('option').nth(1).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Compare Pass Codes of #${good}` }).click()
  await dialog.getByRole('radio', { name: /theirs$/ }).check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save again' }).click()
  await expect(page.getByRole('combobox', { name: `Pass Codes of #${good}` })).toHaveText('')

  // Somebody else moves it on: the row leaves and the counts follow, without a reload.
  const counted = page.waitForResponse(/requisitions\/status_count/)
  await api(page.request, staff, 'PUT', `requisitions/ACC/next_status/bulk_move?id=${good}`, {})
  await expect(tick(page, good)).toHaveCount(0)
  await counted
  // Others move theirs meanwhile: what is shown must come to be what is true.
  const shown = async () =>
    Number(
      (
        await bar(page)
          .getByRole('link', { name: /^Processing/ })
          .innerText()
      ).match(/\d+/),
    )
  const inProcess = async () => (await api(page.request, staff, 'GET', 'requisitions/PROCESS?perPage=1')).total
  await expect(async () => expect(await shown()).toBe(await inProcess())).toPass()

  // A scanner types a label, with its suffix, and Enter. The box of the tab that is being left would take the letters with it.
  await go(page, '/requisitions?status=All', currentTab(page, 'All'))
  const search = page.getByRole('searchbox', { name: 'Search Requisition' })
  await expect(search).toHaveValue('')
  await page.keyboard.press('/')
  await expect(search).toBeFocused()
  await page.keyboard.type(`${good}DP`)
  await expect(search).toHaveValue(`${good}DP`)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/requisitions/${good}/show`)
  await expect(titleOf(page, good)).toBeVisible()
  await go(page, '/requisitions?status=All', currentTab(page, 'All'))
  await search.fill('99999999')
  await search.press('Enter')
  await expect(page).toHaveURL(/smartFilter=.*99999999/)
  await expect(page.getByText('Empty Table')).toBeVisible()

  // Through the list from one requisition to the next, also over the edge of a page, and back to where one was.
  await go(page, '/requisitions?status=Delivered&page=2', currentTab(page, 'Delivered'))
  await expect(page.getByText(/^26–50 of /)).toBeVisible()
  await expectRows(page)

  // After ticking a page a user can tick all other pages too: they stay so from page to page, and every action names them before it begins.
  const rowTick = table(page).locator('tbody tr.row').first().getByRole('checkbox')
  const selected = page.getByLabel('Selected rows')
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await expect(selected).toContainText('25 selected')
  await selected.getByRole('button', { name: /^Select all \d+$/ }).click()
  await expect(selected).toContainText(/^\d+ selected\d+ on other pages/)
  const many = Number(/^\d+/.exec((await selected.textContent()) ?? ''))
  expect(many).toBeGreaterThan(50)
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect(page.getByText(/^1–25 of /)).toBeVisible()
  await expectRows(page)
  await expect(rowTick).toBeChecked()
  await rowTick.uncheck()
  await expect(selected).toContainText(`${many - 1} selected`)
  await selected.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Bulk download' }).click()
  await expect(dialog).toContainText(`Bulk download: ${many - 1} requisitions`)
  await expect(dialog).toContainText(/\d+ will be in the file, \d+ will not/)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.goBack()
  await expect(page.getByText(/^26–50 of /)).toBeVisible()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await expect(rowTick).not.toBeChecked()
  await expectRows(page)
  await table(page).locator('tbody tr.row').nth(24).getByRole('link').first().click()
  const steps = page.getByRole('navigation', { name: 'Rows of the list' })
  await expect(steps).toContainText(/Row 50 of \d+/)
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText(/^#\d+ \| .+/)
  const title = (await heading.textContent()) ?? ''
  await steps.getByRole('button', { name: 'Next requisition' }).click()
  await expect(steps).toContainText(/Row 51 of \d+/)
  await expect(heading).toHaveText(/^#\d+ \| .+/)
  await expect(heading).not.toHaveText(title)
  const statusTab = page.getByRole('link', { name: 'Status', exact: true })
  await statusTab.click()
  await expect(page).toHaveURL(/\/show\/status$/)
  // The address is there before the tab, and the step leads to the tab that is drawn.
  await expect(statusTab).toHaveAttribute('aria-current', 'page')
  await steps.getByRole('button', { name: 'Previous requisition' }).click()
  await expect(page).toHaveURL(/\/show\/status$/)
  await expect(heading).toHaveText(title)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Back to Requisitions' }).click()
  await expect(page).toHaveURL(/status=Delivered&page=2/)

  // A row that was finished meanwhile leaves the list; the next one is still the next one.
  const logged = (await rowsOf(page.request, staff, 'LOG')).map(({ id }) => id)
  const finished = (await plan(page.request, staff, 'LOG')).moved.find((id) => logged.indexOf(id) < 24)
  await go(page, '/requisitions?status=Logged', currentTab(page, 'Logged'))
  await expect(page.getByText(/^1–25 of /)).toBeVisible()
  await expectRows(page)
  // The row after the last of the page is read now, while the page still shows which one that is.
  const readAhead = page.waitForResponse((reply) => /\/requisitions\/LOG\?.*page=2/.test(reply.url()))
  await table(page).locator('tbody tr.row').nth(24).getByRole('link').first().click()
  await expect(titleOf(page, logged[24] as number)).toBeVisible()
  await readAhead
  const left = await api(page.request, staff, 'PUT', `requisitions/LOG/next_status/bulk_move?id=${finished}`, {})
  expect(left.data.moved).toEqual([finished])
  await steps.getByRole('button', { name: 'Next requisition' }).click()
  await expect(titleOf(page, logged[25] as number)).toBeVisible()
  await expect(steps).toContainText(/Row 26 of \d+/)

  // One Released requisition goes back, after a question; with two ticked it is not offered.
  const [one, two] = (await rowsOf(page.request, staff, 'RELEASE')).slice(10).map(({ id }) => id) as [number, number]
  await goToList(page, 'Released', one, two)
  await tick(page, one).check()
  await tick(page, two).check()
  await expect(page.getByRole('button', { name: 'Deliver', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'More actions' }).click()
  for (const name of ['Send notification', 'Bulk download'])
    await expect(page.getByRole('menuitem', { name })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Move back to Accessioned' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await tick(page, two).uncheck()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Move back to Accessioned' }).click()
  await expect(dialog).toContainText(`#${one} | `)
  await expectAccessible(page)
  const put = page.waitForRequest((request) => request.method() === 'PUT' && /\/requisitions$/.test(request.url()))
  await dialog.getByRole('button', { name: 'Move back' }).click()
  expect((await put).postDataJSON()).toEqual({ id: one, reqStatusCode: 'ACC' })
  await expect(page.getByText('Successfully updated status')).toBeVisible()
  await expect(tick(page, one)).toHaveCount(0)
  await expect(tick(page, two)).toBeVisible()
})

test("what 'Make reports' could not make is reported when it is over, with the reason, until it is read, and links to its requisitions", async ({
  page,
  faults,
}) => {
  faults.expect(/401/)
  const staff = await sessionOf(page.request, 'staff')
  const { moved } = (
    await api(page.request, staff, 'POST', 'requisitions/bulk_reports', {
      reqIds: (await rowsOf(page.request, staff, 'RESULT')).map(({ id }) => id),
      dryRun: true,
    })
  ).data as { moved: [number, ...number[]] }
  const [id] = moved
  const reason = 'A report made here cannot print Ꮳ in the client. Upload a report that was made elsewhere.'
  // The demonstration has no practice whose name cannot be printed: the job is played.
  await page.route(/requisitions\/bulk_reports$/, (route) =>
    route.request().postDataJSON().dryRun
      ? route.continue()
      : route.fulfill({ json: { data: { moved: [id], refused: [], jobId: 'played' }, message: 'Being made' } }),
  )
  let asked = 0
  await page.route(/jobs\/played$/, (route) => {
    const isOver = ++asked > 1
    const result = isOver ? { made: 0, failed: [{ id, reason }] } : null
    const job = { id: 'played', kind: 'reports.make', done: 0, total: 1, message: null, result }
    return route.fulfill({ json: { data: { ...job, state: isOver ? 'DONE' : 'RUNNING' }, message: '' } })
  })
  await page.clock.install()
  await openAs(page, staff, listOf('Resulted', id))
  await tick(page, id).check()
  await page.getByRole('button', { name: 'Make reports' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Make reports: 1/ })
    .click()
  await go(page, '/requisitions?status=Reported', currentTab(page, 'Reported'))
  const told = page.getByText(`1 report was not made. #${id}: ${reason}`)
  await expect(told).toBeVisible()
  // It does not go by itself, as other notices do, nor with a reload or the end of the session, after which nobody else reads it.
  await page.clock.runFor(15_000)
  await expect(told).toBeVisible()
  await page.reload()
  await expect(told).toBeVisible()
  await page.route(/requisitions\/RELEASE\?/, (route) => route.fulfill({ status: 401, json: { message: 'Ended' } }), {
    times: 1,
  })
  await tabs(page).getByRole('link', { name: 'Released', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'LIS Login' })).toBeVisible()
  await expect(told).toBeHidden()
  await signIn(page, 'staff')
  await expect(told).toBeVisible()
  await page.getByRole('button', { name: 'Show them' }).click()
  await expect(currentTab(page, 'All')).toBeVisible()
  await expect(table(page).locator('tbody tr.row')).toHaveCount(1)
  await expect(tick(page, id)).toBeVisible()
  await expect(told).toBeHidden()
  const askedBefore = asked
  await page.reload()
  await expect(tick(page, id)).toBeVisible()
  expect(asked).toBe(askedBefore)
})

test('LIST-046 an administrator can delete what is ticked, after a question', async ({ page }) => {
  await openAs(page, await sessionOf(page.request, 'admin'), '/requisitions?status=Logged')
  await expectRows(page)
  const row = table(page).locator('tbody tr.row').first()
  await row.getByRole('checkbox').check()
  await page
    .getByLabel('Selected rows')
    .getByRole('button', { name: /^Delete/ })
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
})
