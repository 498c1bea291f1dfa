import type { Page } from '@playwright/test'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

const panel = (page: Page) => page.getByRole('complementary', { name: 'View & Filters' })
const bar = (page: Page) => page.getByRole('group', { name: 'Filters', exact: true })
const tags = (page: Page) => page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')
const rows = (page: Page) => page.getByRole('table', { name: 'Collaborators' }).locator('tbody tr')
const smartFilter = (page: Page): unknown => JSON.parse(new URL(page.url()).searchParams.get('smartFilter') ?? '[]')

const list = '/collaborators'
const expectList = (page: Page) => expect(page.getByRole('heading', { name: 'Collaborators' })).toBeVisible()

/** The name of the first collaborator: the demo data decides which that is. */
const firstName = async (page: Page) => {
  const cell = rows(page).first().locator('td strong')
  await expect(cell).toBeVisible()
  return (await cell.textContent()) ?? ''
}

test.describe('how a user leaves the panel', () => {
  test.use({ keepsListSettings: true })

  test('VIEW-01 the panel is open at first, on Sort and Filter, and is remembered when closed', async ({
    page,
    request,
  }) => {
    const person = await newPerson(request)
    await openAs(page, await sessionOf(request, person.userName, person.password), list)
    await expectList(page)
    const tab = (name: string) => panel(page).getByRole('tab', { name })
    await test.step('VIEW-07..VIEW-11 the panel is open on Sort and Filter, beside Smart Views', async () => {
      await expect(tab('Sort and Filter')).toHaveAttribute('aria-selected', 'true')
      await expect(panel(page).getByRole('tab')).toHaveText(['Smart Views', 'Sort and Filter'])
    })
    await test.step('VIEW-13..VIEW-18 it has the search options and the form that saves a view', async () => {
      await expect(panel(page).getByRole('heading', { name: 'Search Options' })).toBeVisible()
      await expect(panel(page).getByRole('heading', { name: 'Custom Smart View' })).toBeVisible()
      for (const name of ['Clear', 'Filter', 'Save as New Smart View'])
        await expect(panel(page).getByRole('button', { name, exact: true })).toBeVisible()
      await expect(panel(page).getByLabel('Name').last()).toBeVisible()
    })
    await expect.poll(async () => (await panel(page).boundingBox())?.width).toBe(256)
    await panel(page).getByRole('button', { name: 'Close View & Filters' }).click()
    await expect(panel(page)).toBeHidden()
    await expect(bar(page).getByRole('button', { name: 'View & Filters' })).toBeFocused()
    await page.reload()
    await expect(rows(page).first()).toBeVisible()
    await expect(panel(page)).toBeHidden()
    await bar(page).getByRole('button', { name: 'View & Filters' }).click()
    await expect(panel(page)).toBeVisible()
  })
})

test('VIEW-04 VIEW-05 VIEW-06 VIEW-28 VIEW-29 VIEW-30 VIEW-31 VIEW-32 filters live in the address, in tags and in the form, also after reload, back and forward', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', list)
  await expectList(page)
  const name = await firstName(page)
  await panel(page).getByLabel('Name').first().fill(name)
  // Nothing happens while the user types.
  expect(new URL(page.url()).search).toBe('')
  await panel(page).getByRole('button', { name: 'Filter', exact: true }).click()
  await expect(tags(page)).toHaveText([`Name:${name}`])
  await expect.poll(() => smartFilter(page)).toEqual([{ id: 'colaName', value: name, viewValue: name }])
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(name)
  await page.reload()
  await expect(tags(page)).toHaveText([`Name:${name}`])
  await expect(panel(page).getByLabel('Name').first()).toHaveValue(name)
  await page.goBack()
  await expect(tags(page)).toHaveCount(0)
  await expect(panel(page).getByLabel('Name').first()).toHaveValue('')
  // Not a number that was counted before: others make collaborators meanwhile.
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1)
  await page.goForward()
  await expect(panel(page).getByLabel('Name').first()).toHaveValue(name)
  await page.getByRole('button', { name: `Remove Name: ${name}` }).click()
  await expect(tags(page)).toHaveCount(0)
  await expect(bar(page).getByRole('button', { name: 'View & Filters' })).toBeFocused()
  await page.goBack()
  await page.getByRole('button', { name: 'Clear All' }).first().click()
  await expect(tags(page)).toHaveCount(0)
  await expect.poll(() => new URL(page.url()).searchParams.has('smartFilter')).toBe(false)
})

test('Sort by and Order are the same as the headers of the table, and Clear takes everything back', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', list)
  await expectList(page)
  await firstName(page)
  await panel(page).getByRole('combobox', { name: 'Sort by' }).click()
  await page.getByRole('option', { name: 'Name', exact: true }).click()
  await panel(page).getByRole('combobox', { name: 'Order' }).click()
  await page.getByRole('option', { name: 'Descending' }).click()
  await panel(page).getByRole('button', { name: 'Filter', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('[colaName,DESC]')
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await expect(panel(page).getByRole('combobox', { name: 'Order' })).toHaveText('Ascending')
  await panel(page).getByRole('button', { name: 'Clear', exact: true }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('')
})

test('a broken filter in the address is reported and left out, and back does not return to it', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', list)
  await expectList(page)
  await firstName(page)
  for (const broken of ['{', '5', '[{"id":1}]']) {
    await page.goto(`/collaborators?smartFilter=${encodeURIComponent(broken)}`)
    await expect(page.getByText('The filter in the address could not be read.')).toBeVisible()
    await expect(rows(page).first()).toBeVisible()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  }
  await page.goBack()
  await expect(page.getByText('The filter in the address could not be read.')).toBeHidden()
  await expect(rows(page).first()).toBeVisible()
})

test('an unknown filter in the address is dropped with a notice, the others stay', async ({ page, signIn }) => {
  await signIn(page, 'staff', list)
  await expectList(page)
  const name = await firstName(page)
  const entries = [
    { id: 'colour', value: 'red', viewValue: 'Red' },
    { id: 'colaName', value: name, viewValue: name },
  ]
  await page.goto(`/collaborators?smartFilter=${encodeURIComponent(JSON.stringify(entries))}`)
  await expect(page.getByText("This list has no filter 'colour'.")).toBeVisible()
  await expect(tags(page)).toHaveText([`Name:${name}`])
  await expect(rows(page).first()).toContainText(name)
})

test('what cannot be asked is said under its field before anything is sent, and the list stays', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn(page, 'staff', '/requisitions?status=All')
  const found = page.getByRole('table', { name: 'Requisitions' }).locator('tbody tr')
  const filter = panel(page).getByRole('button', { name: 'Filter', exact: true })
  const box = (name: string) => panel(page).getByRole('textbox', { name, exact: true })
  await expect(found.first()).toBeVisible()
  const before = page.url()
  await box('Patient DOB').fill('13/45/2020')
  await box('Date Collected').fill('12/31/2026-01/01/2026')
  await box('Req ID').fill('abc')
  await filter.click()
  await expect(panel(page).getByRole('alert')).toHaveText([
    'Req ID must be a whole number',
    'Patient DOB must be a date: MM/DD/YYYY',
    'Date Collected: the first day cannot be after the last',
  ])
  await expect(box('Req ID')).toBeFocused()
  await expect(found.first()).toBeVisible()
  expect(page.url()).toBe(before)
  await expectAccessible(page)
  await box('Req ID').fill('')
  await box('Patient DOB').fill('')
  await expect(panel(page).getByRole('alert')).toHaveCount(1)
  await box('Date Collected').fill('01/01/2026-12/31/2026')
  await filter.click()
  await expect(tags(page)).toHaveText(['Date Collected:01/01/2026–12/31/2026'])
  const wrong = JSON.stringify([{ id: 'reqId', value: 'abc', viewValue: 'abc' }])
  await page.goto(`/requisitions?status=All&smartFilter=${encodeURIComponent(wrong)}`)
  await expect(page.getByText('Req ID must be a whole number. The list is shown without this filter.')).toBeVisible()
  await expect(found.first()).toBeVisible()
})

test('a view is saved, found by name, counted, applied and deleted', async ({ page, signIn }) => {
  await signIn(page, 'staff', list)
  await expectList(page)
  const name = await firstName(page)
  const view = `Partner ${Date.now()}`
  const save = panel(page).getByRole('button', { name: 'Save as New Smart View' })
  const viewName = panel(page).getByLabel('Name').last()
  await test.step('VIEW-42 VIEW-43 a view needs a name and a filter', async () => {
    await save.click()
    await expect(page.getByRole('alert').filter({ hasText: 'Smart Filter Name is required' }).first()).toBeVisible()
    await viewName.fill(view)
    await save.click()
    await expect(page.getByText('Form is error').first()).toBeVisible()
  })
  await panel(page).getByLabel('Name').first().fill(name)
  const sent = page.waitForRequest((request) => request.method() === 'POST' && /smart_filters$/.test(request.url()))
  await test.step('VIEW-25 VIEW-26 VIEW-40 VIEW-44 a view is saved for the screen with its name and values', async () => {
    await save.click()
    await expect(page.getByText('Successfully created')).toBeVisible()
    expect((await sent).postDataJSON()).toEqual({
      smartName: view,
      smartScreen: 'collaborators',
      smartValues: { colaName: { value: name, viewValue: name } },
    })
  })
  await test.step('VIEW-46 a save that fails shows the message of the server', async () => {
    await expect(viewName).toHaveValue('')
    await viewName.fill(view)
    await save.click()
    await expect(page.getByText('Smart Filter Name is already used').first()).toBeVisible()
  })
  const listed = page.waitForRequest((request) => request.method() === 'GET' && /smart_filters\?/.test(request.url()))
  await panel(page).getByRole('tab', { name: 'Smart Views' }).click()
  await test.step('VIEW-37 VIEW-38 VIEW-39 the views of the screen are asked for, a hundred a page', async () => {
    const asked = new URL((await listed).url()).searchParams
    expect([asked.get('page'), asked.get('perPage')]).toEqual(['1', '100'])
    expect(asked.get('filter')).toContain('smartScreen:collaborators')
  })
  const item = panel(page).getByRole('listitem').filter({ hasText: view })
  await test.step('VIEW-19 VIEW-20 VIEW-21 the saved views are listed, each with its delete button, under a search box', async () => {
    await expect(item).toContainText(`Name: ${name}`)
    await expect(item.getByRole('button', { name: `Delete ${view}` })).toBeVisible()
    await expect(panel(page).getByLabel('Filter Smart Views')).toBeVisible()
    await expect(item.getByRole('button', { name: view }).first()).toContainText(/\d+$/)
  })
  await test.step('VIEW-22 the name is looked for after a second', async () => {
    const searched = page.waitForRequest((request) => request.url().includes('smartName'))
    const typedAt = Date.now()
    await panel(page).getByLabel('Filter Smart Views').fill(view)
    await searched
    expect(Date.now() - typedAt).toBeGreaterThanOrEqual(990)
  })
  await test.step('VIEW-23 VIEW-24 a chosen view is applied on the tab of filters', async () => {
    await item.getByRole('button', { name: view }).first().click()
    await expect(panel(page).getByRole('tab', { name: 'Sort and Filter' })).toHaveAttribute('aria-selected', 'true')
    await expect(tags(page)).toHaveText([`Name:${name}`])
  })
  await test.step('VIEW-27 VIEW-45 a deleted view is gone', async () => {
    await panel(page).getByRole('tab', { name: 'Smart Views' }).click()
    await expect(item.getByRole('button', { name: view }).first()).toHaveAttribute('aria-current', 'true')
    await item.getByRole('button', { name: `Delete ${view}` }).click()
    const question = page.getByRole('dialog', { name: 'Are you sure you want to delete this smart view?' })
    await expect(question).toContainText(view)
    await question.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByText('Smart filter deleted successfully')).toBeVisible()
    await expect(item).toHaveCount(0)
  })
})

test('by keys alone: filter, remove the tag, look through the tabs', async ({ page, signIn }) => {
  await signIn(page, 'staff', list)
  await expectList(page)
  const name = await firstName(page)
  await panel(page).getByLabel('Name').first().focus()
  await page.keyboard.type(name)
  await expect(panel(page).getByLabel('Name').first()).toHaveValue(name)
  await page.keyboard.press('Enter')
  await expect(tags(page)).toHaveCount(1)
  await page.getByRole('button', { name: `Remove Name: ${name}` }).focus()
  await page.keyboard.press('Enter')
  await expect(tags(page)).toHaveCount(0)
  await panel(page).getByRole('tab', { name: 'Sort and Filter' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(panel(page).getByRole('tab', { name: 'Smart Views' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(panel(page).getByLabel('Filter Smart Views')).toBeVisible()
})

test('under 1200 px the panel covers the table, under 600 the whole screen', async ({ page, signIn }) => {
  await page.setViewportSize({ width: 1024, height: 768 })
  await signIn(page, 'staff', list)
  await expectList(page)
  await firstName(page)
  await expect(panel(page)).toHaveCSS('position', 'absolute')
  await panel(page).getByLabel('Alias').focus()
  await page.keyboard.press('Escape')
  await expect(panel(page)).toBeHidden()
  await expect(bar(page).getByRole('button', { name: 'View & Filters' })).toBeFocused()
  await page.setViewportSize({ width: 390, height: 844 })
  await bar(page).getByRole('button', { name: 'View & Filters' }).click()
  const full = page.getByRole('dialog', { name: 'View & Filters' })
  await expect(full).toBeVisible()
  await expect.poll(() => full.boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 844 })
  await full.getByLabel('Alias').fill('no such alias')
  // Turning the phone loses nothing that was typed.
  await page.setViewportSize({ width: 844, height: 390 })
  await expect(panel(page).getByLabel('Alias')).toHaveValue('no such alias')
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(full.getByLabel('Alias')).toHaveValue('no such alias')
  await full.getByRole('button', { name: 'Filter', exact: true }).click()
  await expect(full).toBeHidden()
  await expect(page.getByText('Empty Table')).toBeVisible()
})

test('axe finds nothing on the filter bar and the panel', async ({ page, signIn, look }) => {
  test.slow()
  await signIn(page, 'staff', list)
  await expectList(page)
  const name = await firstName(page)
  const view = `Look ${Date.now()}`
  await panel(page).getByLabel('Name').first().fill(name)
  await panel(page).getByRole('button', { name: 'Filter', exact: true }).click()
  await expect(tags(page)).toHaveText([`Name:${name}`])
  await panel(page).getByLabel('Name').last().fill(view)
  await panel(page).getByRole('button', { name: 'Save as New Smart View' }).click()
  await expect(page.getByText('Successfully created')).toBeVisible()
  await expect(panel(page).getByLabel('Name').last()).toHaveValue('')
  await panel(page).getByRole('button', { name: 'Save as New Smart View' }).click()
  await expect(panel(page).getByText('Smart Filter Name is required')).toBeVisible()
  for (const width of deskAndPhone) {
    await page.setViewportSize({ width, height: 900 })
    const isPhone = width < 600
    if (isPhone) {
      await look(page, 'views-list')
      await bar(page).getByRole('button', { name: 'View & Filters' }).click()
    }
    await expect(page.getByRole('tab', { name: 'Sort and Filter' })).toBeVisible()
    await look(page, 'views-sort-and-filter')
    await page.getByRole('tab', { name: 'Smart Views' }).click()
    await expect(page.getByRole('list', { name: 'Smart views' })).toContainText(view)
    await look(page, 'views-smart-views')
    await page.getByRole('tab', { name: 'Sort and Filter' }).click()
  }
  await page.getByRole('tab', { name: 'Smart Views' }).click()
  await page.getByRole('button', { name: `Delete ${view}` }).click()
  await look(page, 'views-delete-view')
  await page
    .getByRole('dialog', { name: /smart view/ })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(page.getByText('Smart filter deleted successfully')).toBeVisible()
})

test('DAY-02 requisitions are filtered by several statuses and by days that move with the calendar, also in a pinned view', async ({
  page,
  request,
  expectAccessible,
}) => {
  const person = await newPerson(request)
  const session = await sessionOf(request, person.userName, person.password)
  await openAs(page, session, '/requisitions?status=All')
  const status = panel(page).getByRole('combobox', { name: 'Status' })
  for (const name of ['Logged', 'Accessioned']) {
    await status.click()
    await page.getByRole('option', { name, exact: true }).click()
  }
  await panel(page).getByRole('button', { name: 'Choose Date Logged' }).click()
  await page.getByRole('dialog', { name: 'Choose Date Logged' }).getByRole('button', { name: 'Last 7 days' }).click()
  await expect(panel(page).getByLabel('Date Logged', { exact: true })).toHaveValue('Last 7 days')
  const asked = page.waitForRequest(/requisitions\/ALL\?.*dateLogged/)
  await panel(page).getByRole('button', { name: 'Filter', exact: true }).click()
  expect(new URL((await asked).url()).searchParams.get('filter')).toBe(
    '[reqStatusCode:[LOG,ACC],dateLogged:last 7 days]',
  )
  await expect(tags(page)).toHaveText(['Status:Logged, Accessioned', 'Date Logged:Last 7 days'])
  await expectAccessible(page)

  const view = `New ones ${Date.now()}`
  await panel(page).getByLabel('Name', { exact: true }).fill(view)
  const made = page.waitForResponse(
    (reply) => /smart_filters$/.test(reply.url()) && reply.request().method() === 'POST',
  )
  await panel(page).getByRole('button', { name: 'Save as New Smart View' }).click()
  const { id } = (await (await made).json()).data
  const headers = { authorization: `Bearer ${session.token}` }
  const broken = { smartName: `Broken ${view}`, smartScreen: 'requisitions/All', smartValues: { gone: { value: '1' } } }
  const other = await request.post('/api/v3.0/smart_filters', { headers, data: broken })
  for (const one of [id, (await other.json()).data.id])
    await request.put(`/api/v3.0/smart_filters/${one}/mine`, { headers, data: { isPinned: true } })
  const rowCount = async () =>
    (await page.locator('footer[aria-label="Pages"] .range').innerText()).replaceAll(',', '').match(/\d+$/)?.[0]
  const total = await rowCount()

  await page.goto('/')
  const pinned = page.getByRole('region', { name: 'Pinned Smart Views' }).getByRole('listitem')
  await test.step('HOME-01 a pinned view has its count; one with a filter that has ended says so', async () => {
    await expect(pinned.filter({ hasText: broken.smartName })).toContainText(
      'Unknown filter field "gone". Open the view to change its filters.',
    )
    await expect(pinned.filter({ hasText: view }).last()).toBeVisible()
  })
  await test.step('the number itself leads to the rows', async () => {
    // The link lies over the whole row, also over the number.
    await pinned.locator('.count', { hasText: total ?? '' }).click({ force: true })
    await expect(page).toHaveURL(new RegExp(`/requisitions\\?.*view=${id}\\b`))
    await expect(tags(page)).toHaveText(['Date Logged:Last 7 days', 'Status:Logged, Accessioned'])
    await expect.poll(rowCount).toBe(total)
  })
})
