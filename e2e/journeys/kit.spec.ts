import type { Locator, Page } from '@playwright/test'
import { expectWithin } from '../../apps/server/test/quiet-machine.ts'
import { galleryOf } from '../support/gallery.ts'
import { bearer, managementSession, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

// These journeys begin after the sign-in.
let session = ''
test.beforeEach(async ({ request }) => {
  session = JSON.stringify(await sessionOf(request, 'staff'))
})
const asStaff = async (page: Page, path: string) => {
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  await page.goto(path)
}
const expectWidth = (element: Locator, width: number) =>
  expect.poll(async () => Math.round((await element.boundingBox())?.width ?? 0)).toBe(width)

test.describe('tables', () => {
  test.describe.configure({ mode: 'serial' })
  const gallery = galleryOf('table-gallery')
  test.beforeAll(async () => {
    await gallery.build()
  })
  test.afterAll(() => gallery.remove())

  test('TABLE-027..TABLE-030 rows open and close, one by one and all at once; of a long table only what is in view is drawn', async ({
    page,
    expectAccessible,
  }) => {
    await gallery.open(page)
    const few = page.getByRole('table', { name: 'Few' })
    const under = few.getByText(/^Under row/)
    await few.getByRole('button', { name: /row 2/ }).click()
    await expect(under).toHaveText(['Under row 2'])
    await few.getByRole('button', { name: /row 2/ }).click()
    await expect(under).toHaveCount(0)
    await few.getByRole('button', { name: 'Expand all' }).click()
    await expect(under).toHaveText(['Under row 1', 'Under row 2', 'Under row 3'])
    await page.mouse.move(0, 0)
    await expect(page.getByRole('tooltip')).toHaveCount(0)
    await expectAccessible(page)
    await few.getByRole('button', { name: 'Collapse all' }).click()
    await expect(under).toHaveCount(0)

    const many = page.getByRole('table', { name: 'Many' })
    await expect(many).toHaveAttribute('aria-rowcount', '501')
    await expect.poll(() => many.locator('tr.row').count()).toBeLessThan(60)
    const frame = page.getByRole('group', { name: 'Many, scrolling area' })
    const scroll = (to: number) => frame.evaluate((element, top) => Reflect.set(element, 'scrollTop', top), to)
    await scroll(1_000_000)
    await expect(many.getByText('Row 500, 12')).toBeVisible()
    await expect(many.getByText('Row 1, 0')).toHaveCount(0)
    await many.getByRole('button', { name: 'Expand all' }).click()
    await scroll(0)
    await expect(many.getByText('Under row 1', { exact: true })).toBeVisible()
    await expect.poll(() => many.locator('tr.row').count()).toBeLessThan(60)
  })

  test('a cell that two people changed says who, when and what, and takes the choice', async ({
    page,
    expectAccessible,
  }) => {
    await gallery.open(page)
    const meet = async (label: string) => {
      await page.getByLabel(label, { exact: true }).fill('mine')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: `Compare ${label}` }).click()
      const dialog = page.getByRole('dialog', { name: 'Grace Hopper has changed this record in the meantime' })
      await expect(dialog).toContainText('Saved 11/15/26')
      await expect(dialog).toContainText('theirs')
      return dialog
    }
    const first = await meet('First cell')
    await expectAccessible(page)
    await first.getByRole('button', { name: 'Save again' }).click()
    await expect(page.getByLabel('First cell stored')).toHaveText('mine, version 7')
    const second = await meet('Second cell')
    await second.getByRole('radio', { name: /theirs/ }).check()
    await second.getByRole('button', { name: 'Save again' }).click()
    await expect(page.getByLabel('Second cell', { exact: true })).toHaveValue('theirs')
    await expect(page.getByLabel('Second cell stored')).toHaveText('old')
  })

  test('SHELL-20 a page that names departments is open to their members, and leads others to /403', async ({
    page,
  }) => {
    await gallery.open(page)
    await page.getByRole('link', { name: 'Own department' }).click()
    await expect(page.getByRole('heading', { name: 'Own department' })).toBeVisible()
    await page.getByRole('link', { name: 'Other department' }).click()
    await expect(page.getByText('403: Forbidden')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Other department' })).toHaveCount(0)
  })

  test('a hundred rows of thirteen columns are drawn in less than 50 ms of script', async ({ page }) => {
    await gallery.open(page)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    const scriptMs = async () => {
      const { metrics } = await cdp.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1000
    }
    const spent: number[] = []
    // The best of several: the machine has other work, which the others may have met.
    const draw = async () => {
      const before = await scriptMs()
      await page.getByRole('button', { name: 'Draw' }).click()
      await expect(page.getByRole('table', { name: 'Hundred' }).locator('tr.row')).toHaveCount(100)
      spent.push(Math.round(await scriptMs()) - Math.round(before))
      await page.getByRole('button', { name: 'Take away' }).click()
      await expect(page.getByRole('table', { name: 'Hundred' })).toHaveCount(0)
      return spent.at(-1)
    }
    await expectWithin(50, draw, 10)
    test.info().annotations.push({ type: 'script ms', description: spent.join(', ') })
  })
})

test('TABLE-011 TABLE-013 TABLE-014 TABLE-024 VIEW-03 VIEW-12 requisitions start on All with 25 rows; the search waits for a pause; a choice left open says Any', async ({
  page,
}) => {
  await asStaff(page, '/requisitions')
  await expect(page.getByRole('link', { name: 'All', exact: true })).toHaveAttribute('aria-current', 'page')
  const size = page.getByLabel('Rows per page')
  await expect(size).toHaveValue('25')
  await expect(size.locator('option')).toHaveText(['25', '50', '75', '100'])
  await expect(page.locator('tbody tr.row')).toHaveCount(25)
  const panel = page.getByRole('complementary', { name: 'View & Filters' })
  await expect(panel.getByRole('combobox', { name: 'Lab', exact: true })).toHaveText('Any')
  await expect(panel.getByRole('combobox', { name: 'Status' })).toHaveAttribute('placeholder', 'Any')
  await expect(panel.getByRole('combobox', { name: 'Client', exact: true })).toHaveAttribute('placeholder', 'Any')

  // By the clock of the page: that of the test runs on while the page waits for the processor.
  await page.evaluate(`addEventListener('input', (event) => { window.typedAt = event.timeStamp }, true)`)
  const search = page.getByRole('searchbox', { name: 'Search Requisition' })
  await search.pressSequentially('smith')
  const asked = () =>
    page.evaluate<{ text: string; waited: number }[]>(`performance.getEntriesByType('resource')
      .filter(({ name }) => name.includes('/requisitions/') && name.includes('search'))
      .map(({ name, startTime }) => ({
        text: /search:([^\\],]*)/.exec(new URL(name).searchParams.get('filter') ?? '')?.[1],
        waited: startTime - window.typedAt,
      }))`)
  await expect.poll(async () => (await asked()).map(({ text }) => text)).toEqual(['smith'])
  expect((await asked())[0]?.waited).toBeGreaterThan(490)
  // What a sub-table or a page of one record shows has no pager.
  await page.goto('/sales/1/show')
  await expect(page.getByRole('heading', { name: 'Clients', exact: true })).toBeVisible()
  await expect(page.getByLabel('Rows per page')).toHaveCount(0)
})

test('SHELL-48 SHELL-58..SHELL-60 a page has its title and action, on a phone the filter button too, and the sidebar follows the window', async ({
  page,
}) => {
  await asStaff(page, '/collaborators')
  const title = page.getByRole('heading', { level: 1, name: 'Collaborators' })
  await expect(title).toBeVisible()
  await expect(page).toHaveTitle(/^Collaborators/)
  await expect(page.getByRole('link', { name: 'Create' })).toBeVisible()
  const sidebar = page.getByRole('navigation').first()
  for (const height of [900, 620]) {
    await page.setViewportSize({ width: 1440, height })
    await expect.poll(async () => Math.round((await sidebar.boundingBox())?.height ?? 0)).toBe(height)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(title).toBeVisible()
  await expect(page.getByRole('button', { name: /View & Filters/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create' })).toBeVisible()
})

test('SHELL-64..SHELL-68 SHELL-G2 SHELL-G3 tooltips and modals keep to their widths', async ({ page }) => {
  await asStaff(page, '/requisitions')
  const tooltip = page.getByRole('tooltip').locator('.MuiTooltip-tooltip')
  await page.getByRole('button', { name: 'Comfortable row height' }).hover()
  await expect(tooltip).toBeVisible()
  await expect(tooltip).toHaveCSS('max-width', '220px')
  await page.mouse.move(0, 0)
  await expect(tooltip).toHaveCount(0)
  const issues = { id: 'issueDeptId', value: '1', viewValue: 'one' }
  for (const dept of ['1', '2', '3', '4', '5']) {
    const filter = encodeURIComponent(JSON.stringify([{ ...issues, value: dept }]))
    await page.goto(`/requisitions?smartFilter=${filter}`)
    await expect(page.getByText(/^\d+(–\d+)? of \d+$/)).toBeVisible()
    if ((await page.getByLabel(/contains uncompleted issues/).count()) > 0) break
  }
  await page
    .getByLabel(/contains uncompleted issues/)
    .first()
    .hover()
  await expect(tooltip).toContainText('uncompleted issues')
  await expect(tooltip).toHaveCSS('max-width', '600px')

  const dialog = page.getByRole('dialog')
  const paper = page.locator('.MuiDialog-paper')
  await page.goto('/requisitions?status=Accessioned')
  await page.locator('tbody tr.row').first().getByRole('checkbox').check()
  await page.getByRole('button', { name: /^Next status/ }).click()
  await expect(dialog).toBeVisible()
  await expectWidth(paper, 900)
  await page.goto('/sales')
  await page.locator('tbody tr.row').first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toContainText('Are you sure')
  await expectWidth(paper, 460)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Notifications' }).click()
  await expect(dialog).toBeVisible()
  await expectWidth(paper, 660)
  await page.goto('/physicians/1/show')
  await page.getByRole('button', { name: 'Add client' }).click()
  await expect(dialog).toBeVisible()
  await expectWidth(paper, 640)
  await dialog.getByRole('button', { name: 'Create client' }).click()
  await expect(dialog.getByLabel('Zip')).toBeVisible()
  await expectWidth(paper, 460)
})

test('SHELL-63 the pass codes of a requisition are chosen in a select of 150 px', async ({ page }) => {
  await asStaff(page, '/requisitions?status=Accessioned')
  const codes = page.getByRole('combobox', { name: /^Pass Codes of #/ })
  await expectWidth(page.locator('.MuiSelect-root').filter({ has: codes }).first(), 150)
})

test('TABLE-123..TABLE-128 a notice tells what happened by its type, an error in red, and goes by itself after five seconds', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  await page.clock.install()
  await asStaff(page, '/physicians/create')
  const notice = (type: 'info' | 'warning' | 'error', text: string) =>
    page.locator(`.${type}[role]`).filter({ hasText: text }).first()
  const red = /^rgb\(1[5-9]\d, [0-6]?\d, [0-6]?\d\)$/
  const answer = async (status: number, body: object) => {
    await page.unroute('**/api/v3.0/physicians')
    await page.route('**/api/v3.0/physicians', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status, json: body }) : route.continue(),
    )
  }
  await page.getByLabel('First Name').fill('Ann')
  await page.getByLabel('Last Name').fill('Notice')
  await page.getByRole('combobox', { name: 'Title' }).click()
  await page.getByRole('option', { name: 'MD', exact: true }).click()
  await page.getByLabel('NPI#').fill('1245319599')
  const next = page.getByRole('button', { name: 'Next', exact: true }).first()
  await next.click()
  await next.click()
  const finish = page.getByRole('button', { name: 'Finish' }).first()
  await answer(500, { code: 'internal', message: 'The disk is full' })
  await finish.click()
  const warning = notice('warning', 'The disk is full')
  await expect(warning).toBeVisible()
  // Besides delays that end by themselves on a slow machine.
  await page.clock.runFor(3_000)
  await expect(warning).toBeVisible()
  await page.clock.runFor(3_000)
  await expect(warning).toBeHidden()
  await answer(403, { code: 'forbidden', message: 'Not for you' })
  await finish.click()
  const error = notice('error', 'Not for you')
  await expect(error).toBeVisible()
  await expect(error).toHaveCSS('background-color', red)
  // It does not time out while the pointer is over it: it disappears because the same call succeeds.
  await error.hover()
  // What came is no text at all.
  await answer(200, { data: { id: 1, isNpiValid: 1 }, message: { odd: true } })
  await finish.press('Enter')
  const info = notice('info', 'Unknown error')
  await expect(info).toBeVisible()
  await expect(info).not.toHaveCSS('background-color', red)
  await expect(error).toBeHidden()
})

test('TABLE-G18 saving a record that another user has changed shows who changed what and when, field by field', async ({
  page,
  expectAccessible,
}) => {
  await asStaff(page, '/')
  const management = await managementSession(page.request)
  const headers = bearer(management)
  const made = await page.request.post('/api/v3.0/physicians', {
    headers,
    data: {
      physFirstName: 'Two',
      physLastName: `Writers${Date.now()}`,
      physTitle: 'MD',
      npiNumber: '1245319599',
      answers: { SAME_PHYSICIAN: 'SAVE' },
    },
  })
  const { id } = (await made.json()).data
  await page.goto(`/physicians/${id}`)
  await page.getByLabel('PTAN#').fill('MINE')
  const theirs = await page.request.put(`/api/v3.0/physicians/${id}`, {
    headers,
    data: { ptanNumber: 'THEIRS', physMiddleName: 'Q' },
  })
  expect(theirs.status()).toBe(200)
  await page.getByRole('button', { name: 'Update Physician' }).first().click()
  const dialog = page.getByRole('dialog', { name: /has changed this record in the meantime$/ })
  await expect(dialog).toBeVisible()
  const { access } = management as unknown as { access: { userLastName: string } }
  await expect(dialog.getByRole('heading')).toContainText(access.userLastName)
  await expect(dialog).toContainText(/Saved \d\d\/\d\d\/\d\d \d\d:\d\d/)
  await expectAccessible(page)
  // Both changed the one, only the other person the other.
  await expect(dialog.getByRole('radio', { name: 'PTAN#, yours' })).toBeChecked()
  await expect(dialog.getByRole('radio', { name: 'Middle Name, theirs' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Save again' }).click()
  const general = page.getByRole('region', { name: 'General Information' })
  await expect(general).toContainText('MINE')
  await expect(general).toContainText('Q')
  // The production build knows no simulated errors (TABLE-G19).
  await page.goto('/physicians?simulateError=500')
  await expect(page.locator('tbody tr.row').first()).toBeVisible()
})
