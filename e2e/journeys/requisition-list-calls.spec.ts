import type { Page, Request } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, newRequisition } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

interface Row {
  id: number
}
const table = (page: Page) => page.getByRole('table').first()
const rows = (page: Page) => table(page).locator('tbody tr.row')
const currentTab = (page: Page) =>
  page.getByRole('navigation', { name: 'Views' }).locator('[aria-current="page"]').filter({ visible: true })
const tick = (page: Page, id: number) => page.getByRole('checkbox', { name: new RegExp(`^Select #${id} `) })
const dialog = (page: Page) => page.getByRole('dialog')

/** A tab of the list with one requisition alone. */
const listOf = (tab: string, id: number) => {
  const filter = JSON.stringify([{ id: 'reqId', value: String(id), viewValue: String(id) }])
  return `/requisitions?status=${tab}&smartFilter=${encodeURIComponent(filter)}`
}

/** The first row of a tab is ticked, and an action asked for: the call that says what it would do. */
const asksFirst = async (page: Page, tab: string, action: RegExp | string, call: RegExp): Promise<Request> => {
  await page.goto(`/requisitions?status=${tab}`)
  await expect(table(page)).toHaveAttribute('aria-busy', 'false')
  await rows(page).first().getByRole('checkbox').check()
  const button = page.getByLabel('Selected rows').getByRole('button', { name: action })
  const more = page.getByRole('button', { name: 'More actions' })
  await expect(button.or(more).first()).toBeVisible()
  const sent = page.waitForRequest(call)
  if (await button.isVisible()) await button.click()
  else {
    await more.click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const request = await sent
  await expect(dialog(page)).toBeVisible()
  return request
}

test('LIST-126 LIST-127 LIST-131 LIST-132 Req ID and Patient Name lead administrators and management to the detail page', async ({
  page,
}) => {
  for (const account of ['admin', 'management']) {
    const session = await sessionOf(page.request, account)
    for (const column of ['Req ID', 'Patient Name']) {
      await openAs(page, session, '/requisitions')
      await expect(rows(page).first()).toBeVisible()
      const headers = (await table(page).getByRole('columnheader').allInnerTexts()).map((text) => text.trim())
      const link = rows(page).first().locator('td').nth(headers.indexOf(column)).getByRole('link')
      const id = (await link.getAttribute('href'))?.match(/\d+/)?.[0]
      await link.click()
      await expect(page).toHaveURL(`/requisitions/${id}/show`)
      await expect(page.getByRole('heading', { level: 1, name: new RegExp(`^#${id} \\|`) })).toBeVisible()
    }
  }
})

test('LIST-032 the counts of the status bar are asked for by a timer of 100 ms, after the rows', async ({ page }) => {
  const session = await sessionOf(page.request, 'staff')
  // Timers of 100 ms wait until they are let go.
  await page.addInitScript(`{
    const start = window.setTimeout
    const held = []
    window.setTimeout = (work, ms, ...rest) => (ms === 100 ? held.push(work) : start(work, ms, ...rest))
    window.letGo = () => held.splice(0).forEach((work) => work())
  }`)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/requisitions/status_count')) asked++
  })
  await openAs(page, session, '/requisitions')
  await expect(rows(page).first()).toBeVisible()
  const logged = page.getByRole('navigation', { name: 'Requisitions by status' }).getByRole('link', { name: /^Logged/ })
  await expect(logged).not.toContainText(/\d/)
  expect(asked).toBe(0)
  await page.evaluate('window.letGo()')
  await expect(logged).toContainText(/\d/)
  expect(asked).toBe(1)
})

test('LIST-218..LIST-222 LOOK-119 LOOK-120 LOOK-122 a bulk download tells from which tab it was asked for', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  await openAs(page, session, '/healthz')
  for (const [tab, callSource] of Object.entries({
    Resulted: 'RESULT',
    Reported: 'REPORT',
    Released: 'RELEASE',
    Delivered: 'DELIVER',
  })) {
    const planned = await asksFirst(page, tab, 'Bulk download', /requisitions\/bulk_download$/)
    expect(planned.method()).toBe('POST')
    expect(planned.postDataJSON()).toEqual({ reqIds: [expect.any(Number)], callSource, dryRun: true })
    const begin = dialog(page).getByRole('button', { name: /^(Download the reports of 1|Nothing to download)$/ })
    await expect(begin).toBeVisible()
    if (!['Released', 'Delivered'].includes(tab)) continue
    const done = page.waitForRequest(/requisitions\/bulk_download$/)
    await begin.click()
    const { reqIds } = planned.postDataJSON()
    expect((await done).postDataJSON()).toEqual({ reqIds, callSource, dryRun: false })
    await expect(page.getByText('If download failed, please click here').first()).toBeVisible()
  }
})

test('LIST-028 LIST-029 LOOK-073 LOOK-074 LOOK-123 clients and physicians have a view of their own, whose downloads say VIEW', async ({
  page,
}) => {
  for (const [account, view] of [
    ['client', 'AllForClient'],
    ['physician', 'AllForPhysician'],
  ] as const) {
    const session = await sessionOf(page.request, account)
    const read = page.waitForResponse(/requisitions\/CLIENTPHYSROLE\?/)
    await openAs(page, session, `/requisitions?status=${view}`)
    expect((await read).status()).toBe(200)
    await expect(currentTab(page)).toHaveText('All')
    await expect(page).toHaveURL(`/requisitions?status=${view}`)
    const planned = await asksFirst(page, view, 'Bulk download', /requisitions\/bulk_download$/)
    expect(planned.postDataJSON()).toMatchObject({ callSource: 'VIEW' })
  }
  // Nobody else has them.
  const session = await sessionOf(page.request, 'staff')
  for (const view of ['AllForClient', 'AllForPhysician']) {
    const read = page.waitForResponse(/requisitions\/ALL\?/)
    await openAs(page, session, `/requisitions?status=${view}`)
    expect((await read).status()).toBe(200)
    await expect(page).not.toHaveURL(new RegExp(view))
  }
})

test('LIST-201..LIST-205 LOOK-117 LOOK-118 LOOK-121 a bulk move tells from which tab it was asked for', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  await openAs(page, session, '/healthz')
  for (const [tab, callSource] of Object.entries({
    Logged: 'LOG',
    Accessioned: 'ACC',
    Resulted: 'RESULT',
    Reported: 'REPORT',
    Released: 'RELEASE',
  })) {
    const planned = await asksFirst(page, tab, /^Next status/, /\/next_status\/bulk_move\?/)
    expect(planned.url()).toContain(`/requisitions/${callSource}/next_status/bulk_move?id=`)
    expect(planned.postDataJSON()).toEqual({ callSource, dryRun: true })
  }
})

test('LIST-193 next status moves a Resulted requisition to Reported', async ({ page }) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const ids = ((await api.get('requisitions/RESULT?perPage=100')) as Row[]).map(({ id }) => id)
  const { moved } = await api.put(`requisitions/RESULT/next_status/bulk_move?id=${ids}`, { dryRun: true })
  // Other journeys take the first or the last.
  const id = moved[Math.floor(moved.length / 2)] as number
  await openAs(page, session, listOf('Resulted', id))
  await tick(page, id).check()
  await page.getByRole('button', { name: 'Next status: Reported' }).click()
  await expect(dialog(page)).toContainText('1 will move')
  await dialog(page).getByRole('button', { name: 'Move 1 requisition' }).click()
  await expect(page.getByText('1 requisition(s) moved to Reported').first()).toBeVisible()
  await expect(tick(page, id)).toHaveCount(0)
  await page.goto(listOf('Reported', id))
  await expect(tick(page, id)).toBeVisible()
  expect((await api.get(`requisitions/${id}`)).reqStatusCode).toBe('REPORT')
})

test('LIST-226 a row that came without its requisition id is not acted upon, and says so', async ({ page }) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  await api.put(`requisitions/${id}`, { reqStatusCode: 'RELEASE' })
  // The server always sends one: the answer is changed on its way.
  await page.route(/requisitions\/RELEASE\?/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: data.map((row: Row) => ({ ...row, id: 0 })) } })
  })
  await openAs(page, session, listOf('Released', id))
  await page.getByRole('checkbox', { name: /^Select #/ }).check()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Move back to Accessioned' }).click()
  await expect(
    page.locator('.error[role=alert]').filter({ hasText: 'No requisition ID found in selected row' }),
  ).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
