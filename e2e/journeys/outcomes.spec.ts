import type { Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const row = (page: Page) => page.locator('tbody tr.row')
const tabNow = (page: Page) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Accessioned', exact: true })

test('TABLE-128 TABLE-132 LIST-148 LIST-G24 a code in the address opens its tab; a failed cell save is reported, and the notice of a second save lasts as long as that of the first', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  await openAs(page, await sessionOf(page.request, 'staff'), '/requisitions?status=ACC')
  await expect(tabNow(page)).toHaveAttribute('aria-current', 'page')
  const codes = page.getByRole('combobox', { name: /^Pass Codes of #/ }).first()
  const toggle = async () => {
    await codes.click()
    await page.getByRole('option').first().click()
    await page.keyboard.press('Escape')
  }
  await page.route('**/pass_codes', (route) => route.fulfill({ status: 500, json: { message: 'The disk is full' } }), {
    times: 1,
  })
  await toggle()
  await expect(page.locator('.warning[role=status]').filter({ hasText: 'The disk is full' })).toBeVisible()
  await page.getByRole('button', { name: /^The disk is full Retry saving Pass Codes/ }).click()
  const saved = page.getByText('Pass Codes successfully updated')
  await expect(saved).toBeVisible()
  // Three seconds later a second save: its notice stays for five more, not for the two that are left.
  await page.waitForTimeout(3_000)
  const reply = page.waitForResponse(/pass_codes$/)
  await toggle()
  await reply
  await expect(saved).toBeVisible()
  // By the clock of the page, which the notice goes by too.
  await page.evaluate('new Promise((later) => setTimeout(later, 3500))')
  expect(await saved.isVisible()).toBe(true)
})

test('LIST-191 LIST-G17 LIST-G20 what a bulk move leaves undone is a warning, and flags have their colours, two of them and the number of the others', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  await openAs(page, session, '/requisitions?status=Logged')
  await expect(row(page).first()).toBeVisible()
  const { get } = callsOf(page.request, session)
  const flags: { id: number; color: string; flagDesc: string }[] = await get('flags')
  await page.route('**/next_status/bulk_move*', async (route) => {
    const { dryRun } = route.request().postDataJSON()
    const id = Number(new URL(route.request().url()).searchParams.get('id'))
    const data = dryRun
      ? { moved: [id], refused: [] }
      : { moved: [], refused: [{ id, reason: 'Somebody else was first', label: `#${id}` }] }
    await route.fulfill({
      json: { data, message: dryRun ? '' : '0 requisition(s) moved to Accessioned, 1 not done' },
    })
  })
  await row(page).first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Next status: Accessioned' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move 1 requisition' }).click()
  await expect(page.locator('.warning[role=status]').filter({ hasText: '0 requisition(s) moved' })).toBeVisible()

  await page.route('**/api/v3.0/requisitions/ALL?*', async (route) => {
    const reply = await route.fetch()
    const body = await reply.json()
    body.data[0].flag = flags
      .slice(0, 4)
      .map(({ id }) => id)
      .join(',')
    await route.fulfill({ response: reply, json: body })
  })
  await page.goto('/requisitions')
  const tags = row(page)
    .first()
    .getByTitle(flags[0]?.flagDesc ?? '')
    .locator('> span')
  await expect(tags).toHaveText([flags[0]?.flagDesc ?? '', flags[1]?.flagDesc ?? '', '+2'])
  const colours = await page.evaluate<string[]>(
    `[...document.querySelector('tbody tr.row').querySelectorAll('span[title] > span')].slice(-3)
      .map((tag) => getComputedStyle(tag).backgroundColor)`,
  )
  expect(colours[0]).not.toBe(colours[2])
  await expect(tags.first()).toHaveClass(new RegExp(flags[0]?.color ?? 'none'))
})

test('TABLE-133 TABLE-139..TABLE-141 TABLE-G23 a download that gives no file says why, as an error', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  await openAs(page, await sessionOf(page.request, 'client'), '/requisitions?status=Delivered')
  const error = (text: string) => page.locator('.error[role]').filter({ hasText: text })
  const answers = [
    { status: 200, json: { data: {}, message: 'The report is not ready' }, text: 'The report is not ready' },
    { status: 200, json: { data: {} }, text: 'Could not find download URL in server response' },
    { status: 500, json: {}, text: 'Error during download process. Please try again later.' },
    { status: 500, json: { message: 'The store is full' }, text: 'The store is full' },
  ]
  for (const { text, ...answer } of answers) {
    await page.route('**/requisitions/bulk_download', (route) => route.fulfill(answer), { times: 1 })
    await page
      .getByRole('button', { name: /^Download the reports of/ })
      .first()
      .press('Enter')
    await expect(error(text)).toBeVisible()
  }

  // The same in the dialog of many.
  const button = page.getByRole('button', { name: /^Download the reports of/ }).first()
  const id = (await button.getAttribute('aria-label'))?.match(/\d+/)?.[0] ?? ''
  const filter = JSON.stringify([{ id: 'reqId', value: [id], viewValue: id }])
  await page.goto(`/requisitions?smartFilter=${encodeURIComponent(filter)}`)
  await expect(row(page)).toHaveCount(1)
  await row(page).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Bulk download' }).click()
  const dialog = page.getByRole('dialog')
  const start = dialog.getByRole('button', { name: 'Download the reports of 1' })
  await expect(start).toBeEnabled()
  await page.route('**/requisitions/bulk_download', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
  await start.click()
  await expect(dialog.getByRole('alert')).toHaveText('Error during download process. Please try again later.')
  await expect(error('Error during download process')).toBeVisible()
})

test('TABLE-134 a deletion of requisitions that fails is reported as an error, and its dialog stays', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 500/)
  await openAs(page, await sessionOf(page.request, 'staff'), '/requisitions?status=Logged')
  await row(page).first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete 1 requisition' })
  await expect(remove).toBeEnabled()
  await page.route('**/requisitions/bulk_delete*', (route) =>
    route.fulfill({ status: 500, json: { message: 'The disk is full' } }),
  )
  await remove.click()
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('The disk is full')
  await expect(page.locator('.error[role=alert]').filter({ hasText: /^The disk is full$/ })).toBeVisible()
})
