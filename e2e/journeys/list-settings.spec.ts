import type { Page } from '@playwright/test'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test.use({ keepsListSettings: true })

const table = (page: Page) => page.getByRole('table', { name: 'Requisitions' })
const rows = (page: Page) => table(page).locator('tbody tr.row')
const headings = (page: Page) => table(page).getByRole('columnheader')
const names = async (page: Page) => (await headings(page).allInnerTexts()).map((text) => text.trim()).filter(Boolean)
const region = (page: Page) => page.getByRole('region', { name: 'Columns' })
const openColumns = async (page: Page) => {
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await expect(region(page)).toBeVisible()
}
const sortOf = (page: Page) => new URL(page.url()).searchParams.get('sort')
const heading = (page: Page, name: string) => headings(page).filter({ hasText: name }).getByRole('button')

test('a list opens as its user has left it, on every device and from the menu', async ({
  page,
  browser,
  request,
  expectAccessible,
}) => {
  test.slow()
  const person = await newPerson(request)
  const session = await sessionOf(request, person.userName, person.password)
  await openAs(page, session, '/requisitions?status=All')
  await expect(rows(page).first()).toBeVisible()

  await test.step('DAY-03 somebody without settings finds the standard order, and is offered the newest first', async () => {
    expect(sortOf(page)).toBeNull()
    await expect(page.getByRole('complementary', { name: 'View & Filters' })).toBeVisible()
    const ids = (await rows(page).locator('td:nth-child(2)').allInnerTexts()).map(Number)
    expect(ids).toEqual(ids.toSorted((one, other) => one - other))
    await page.getByRole('button', { name: 'Newest first' }).click()
    await expect.poll(() => sortOf(page)).toBe('[reqID,DESC]')
    await expect(page.getByRole('button', { name: 'Newest first' })).toHaveCount(0)
  })

  await test.step('DAY-01 columns are hidden and shown by mouse; required ones stay', async () => {
    await openColumns(page)
    for (const name of ['Req ID', 'Patient Name', 'Patient DOB'])
      await expect(region(page).getByRole('checkbox', { name, exact: true })).toBeDisabled()
    await region(page).getByRole('checkbox', { name: 'Bill to type', exact: true }).uncheck()
    await expect(headings(page).filter({ hasText: 'Bill to type' })).toHaveCount(0)
    await region(page).getByRole('checkbox', { name: 'TAT', exact: true }).check()
    await expect(headings(page).filter({ hasText: /^TAT/ })).toHaveCount(1)
    await expectAccessible(page)
  })

  await test.step('DAY-01 a column moves by Alt and the arrow keys, and keeps the focus', async () => {
    const before = await names(page)
    const client = region(page).getByRole('checkbox', { name: 'Client', exact: true })
    await client.focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect(client).toBeFocused()
    await expect.poll(async () => (await names(page)).indexOf('Client')).toBe(before.indexOf('Client') - 1)
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => names(page)).toEqual(before)
    await page.keyboard.press('Alt+ArrowUp')
  })

  await test.step('DAY-01 a column is dragged, pinned and given a width', async () => {
    const grip = (name: string) =>
      region(page)
        .getByRole('listitem')
        .filter({ has: page.getByRole('checkbox', { name, exact: true }) })
        .locator('.grip')
    // Until it lands: rows that arrive while it is dragged move what is below it.
    await expect(async () => {
      const [from, to] = [await grip('Flag').boundingBox(), await grip('Patient DOB').boundingBox()]
      if (!from || !to) throw new Error('The columns have no handles')
      await page.mouse.move(from.x + 5, from.y + 5)
      await page.mouse.down()
      await page.mouse.move(to.x + 5, to.y + 40, { steps: 5 })
      await page.mouse.move(to.x + 5, to.y + to.height + 6, { steps: 5 })
      await page.mouse.up()
      await expect.poll(async () => (await names(page)).indexOf('Flag'), { timeout: 5000 }).toBeLessThan(5)
    }).toPass()
    await region(page).getByRole('button', { name: 'Pin Client' }).click()
    await expect.poll(() => names(page)).toEqual(expect.arrayContaining(['Client']))
    await expect.poll(async () => (await names(page)).indexOf('Client')).toBe(2)
    await region(page).getByLabel('Width of Physician').fill('210')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await headings(page).filter({ hasText: 'Physician' }).boundingBox())?.width)
      .toBeCloseTo(210, 0)
    await page.keyboard.press('Escape')
    await expect(region(page)).toBeHidden()
    await expect(page.getByRole('button', { name: 'Columns', exact: true })).toBeFocused()
  })

  await test.step('DAY-04 the whole heading sorts, and shift adds a numbered key', async () => {
    const collected = headings(page).filter({ hasText: 'Date Collected' })
    let corner = { x: 0, y: 0 }
    await expect(async () => {
      const [cell, button] = [await collected.boundingBox(), await heading(page, 'Date Collected').boundingBox()]
      if (!cell || !button) throw new Error('The column is not shown')
      expect([button.width, button.height]).toEqual([cell.width, cell.height - 1])
      corner = { x: button.width - 14, y: button.height - 4 }
    }).toPass()
    await heading(page, 'Date Collected').click({ position: corner })
    await expect.poll(() => sortOf(page)).toBe('[dateCollected,DESC]')
    await expect(collected).toHaveAttribute('aria-sort', 'descending')
    await heading(page, 'Patient Name').click({ modifiers: ['Shift'] })
    await expect.poll(() => sortOf(page)).toBe('[dateCollected,DESC,patientLastName,DESC]')
    await expect(collected).toContainText('1')
    await expect(headings(page).filter({ hasText: 'Patient Name' })).toContainText('2')
    await heading(page, 'Patient Name').focus()
    await page.keyboard.press('Shift+Enter')
    await expect.poll(() => sortOf(page)).toBe('[dateCollected,DESC,patientLastName,ASC]')
    await expect(rows(page).first()).toBeVisible()
  })

  const left = await names(page)
  await test.step('DAY-03 another device shows the tab, order, page size, columns and panel that were left', async () => {
    await page.getByLabel('Rows per page').selectOption('50')
    await page.getByRole('button', { name: 'Close View & Filters' }).click()
    const kept = page.waitForResponse(
      (response) =>
        response.request().method() === 'PUT' && /"tab":"Processing"/.test(response.request().postData() ?? ''),
    )
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Processing' }).click()
    expect((await kept).status()).toBe(200)
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const other = await context.newPage()
    await openAs(other, session, new URL('/requisitions', page.url()).href)
    await expect.poll(() => new URL(other.url()).searchParams.get('status')).toBe('Processing')
    await expect(other.getByRole('complementary', { name: 'View & Filters' })).toBeHidden()
    await other.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'All', exact: true }).click()
    await expect(rows(other).first()).toBeVisible()
    await expect.poll(() => names(other)).toEqual(left)
    expect(sortOf(other)).toBe('[dateCollected,DESC,patientLastName,ASC]')
    expect(new URL(other.url()).searchParams.get('perPage')).toBe('50')
    await context.close()
  })

  await test.step('DAY-01 Reset brings the standard back', async () => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'All', exact: true }).click()
    await expect(headings(page).filter({ hasText: /^TAT/ })).toHaveCount(1)
    await openColumns(page)
    await region(page).getByRole('button', { name: 'Reset' }).click()
    await expect(headings(page).filter({ hasText: /^TAT/ })).toHaveCount(0)
    await expect(headings(page).filter({ hasText: 'Bill to type' })).toHaveCount(1)
  })
})

test('DAY-03 filters stay when the tab changes, and those that the new tab does not know are named', async ({
  page,
  request,
}) => {
  const person = await newPerson(request)
  const filters = [
    { id: 'patientLastName', value: 'a', viewValue: 'a' },
    { id: 'reqStatusCode', value: 'LOG', viewValue: 'Logged' },
  ]
  const session = await sessionOf(request, person.userName, person.password)
  await openAs(page, session, `/requisitions?status=All&smartFilter=${encodeURIComponent(JSON.stringify(filters))}`)
  const tags = page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')
  await expect(tags).toHaveCount(2)
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Logged' }).click()
  await expect(page.getByText("This list has no filter 'Status'. It is shown without.")).toBeVisible()
  await expect(tags).toHaveText(['Patient Last Name:a'])
})

test('a link with filters, as from the quick jump, shows its rows whichever tab was open last', async ({
  page,
  request,
}) => {
  const session = await sessionOf(request, 'physician')
  const headers = { authorization: `Bearer ${session.token}` }
  const { data } = await (await request.get('/api/v3.0/requisitions/CLIENTPHYSROLE?perPage=100', { headers })).json()
  const { id } = data.find(({ reqStatusCode }: { reqStatusCode: string }) => reqStatusCode !== 'LOG')
  await openAs(page, session, '/requisitions?status=AllForPhysician')
  const kept = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().includes('/list_settings/'),
  )
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Logged' }).click()
  expect((await kept).status()).toBe(200)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Quick jump' }).fill(String(id))
  await page.getByRole('option', { name: `#${id}` }).click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(String(id))
  // The menu leads to the tab that was open last.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Requisitions' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('Logged')
})

test('DAY-02 a shared view opens by its id for another role, who cannot change it', async ({
  page,
  browser,
  request,
  expectAccessible,
}) => {
  test.slow()
  const [owner, reader] = [await newPerson(request), await newPerson(request, 'ADM')]
  const session = await sessionOf(request, owner.userName, owner.password)
  const view = {
    smartName: `Late ${Date.now()}`,
    smartScreen: 'requisitions/All',
    smartValues: { patientLastName: { value: 'a', viewValue: 'a' } },
  }
  const made = await request.post('/api/v3.0/smart_filters', {
    headers: { authorization: `Bearer ${session.token}` },
    data: view,
  })
  const { id } = (await made.json()).data
  await openAs(page, session, `/requisitions?view=${id}`)
  const panel = page.getByRole('complementary', { name: 'View & Filters' })
  const tags = page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')
  await expect(tags).toHaveText(['Patient Last Name:a'])
  expect(page.url()).not.toContain('smartFilter')
  await heading(page, 'Patient DOB').click()
  await panel.getByRole('tab', { name: 'Smart Views' }).click()
  const form = panel.getByRole('form', { name: `View ${view.smartName}` })
  await expect(form).toContainText('Changed: order')
  await form.getByLabel('View name').fill(`${view.smartName} changed`)
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(panel.getByRole('form')).toContainText('Patient DOB descending')
  await panel.getByRole('checkbox', { name: 'Role: Administrator' }).check()
  await expect(page.getByText('Successfully saved')).toBeVisible()
  await panel.getByRole('checkbox', { name: 'Pinned to Home' }).check()
  await expectAccessible(page)

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const other = await context.newPage()
  const theirs = await sessionOf(request, reader.userName, reader.password)
  await openAs(other, theirs, new URL(`/requisitions?view=${id}`, page.url()).href)
  await expect(other.getByRole('list', { name: 'Active filters' }).getByRole('listitem')).toHaveText([
    'Patient Last Name:a',
  ])
  await other.getByRole('tab', { name: 'Smart Views' }).click()
  const shared = other.getByRole('form', { name: `View ${view.smartName} changed` })
  await expect(shared).toContainText('Only Ada Okonjo can change it')
  await expect(shared.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0)
  await panel.getByRole('checkbox', { name: 'Role: Administrator' }).uncheck()
  await expect(page.getByText('Successfully saved').first()).toBeVisible()
  await other.goto(new URL(`/requisitions?view=${id}`, page.url()).href)
  await expect(other.getByText('This view has ended')).toBeVisible()
  await expect(rows(other).first()).toBeVisible()
  await context.close()
})
