import type { Page } from '@playwright/test'
import { hold } from '../support/held.ts'
import { sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

// These journeys begin after the sign-in.
let session = ''
test.beforeEach(async ({ request }) => {
  session = JSON.stringify(await sessionOf(request, 'staff'))
})

test.beforeEach(async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  await page.goto('/')
})

const headers = () => ({ authorization: `Bearer ${JSON.parse(session).token}` })

/** The oldest requisitions in work: other journeys create new ones, and file reports under the newest. */
const inWork = async (page: Page): Promise<number[]> => {
  const list = await page.request.get('/api/v3.0/requisitions/PROCESS?page=1&perPage=75&sort=[id,ASC]', {
    headers: headers(),
  })
  return (await list.json()).data.map(({ id }: { id: number }) => id)
}

/** A requisition in work, each journey its own: rows that nobody else in this file touches. */
const requisition = async (page: Page, place: number): Promise<{ id: number; labId: number }> => {
  const id = (await inWork(page))[place] as number
  const { data } = await (await page.request.get(`/api/v3.0/requisitions/${id}`, { headers: headers() })).json()
  return { id, labId: data.labId }
}

const choose = async (page: Page, label: string | RegExp, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

const openPlacing = async (page: Page, id: number) => {
  await page.goto(`/requisitions/${id}/show/locations`)
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Add Specimen Location' })).toBeVisible()
  await choose(page, /^Specimen Type/, 'Serum aliquot')
  await choose(page, /^Aliquot\/Container/, 'Cryovial 1.0 mL')
  await expect(page.getByRole('group', { name: /^Slots of box/ })).toBeVisible()
}

test('SPEC-001 SPEC-002 SPEC-016 SPEC-018 SPEC-019 a tube is scanned, received and in the table; the life line tells it', async ({
  page,
  expectAccessible,
}) => {
  const { id } = await requisition(page, 0)
  await page.goto(`/requisitions/${id}/show/specimens`)
  const region = page.getByRole('region', { name: 'Specimens' })
  await expect(region).toBeVisible()
  const rows = region.locator('tbody tr.row')
  await expect(rows.first()).toBeVisible()
  const before = await rows.count()
  await page.getByRole('textbox', { name: 'Scan to receive' }).fill(`${id}S`)
  await page.keyboard.press('Enter')
  const form = page.getByRole('region', { name: 'Add Specimen' })
  await expect(form.getByRole('combobox', { name: /^Specimen Type/ })).toHaveText('Serum')
  await expect(form.getByRole('combobox', { name: /^Temperature/ })).toBeFocused()
  await expect(form.getByLabel('Number of Tubes')).toHaveValue('1')
  await expect(form.getByLabel('Received Year')).toHaveValue(/^\d{4}$/)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Add Specimen' }).click()
  await expect(form.getByText('Temperature is required')).toBeVisible()
  await choose(page, /^Temperature/, 'Refrigerated')
  await form.getByRole('button', { name: 'Add Specimen' }).click()
  await expect(page.getByText('Successfully created')).toBeVisible()
  await expect(form).toBeHidden()
  await expect(rows).toHaveCount(before + 1)
  await expect(rows.last()).toContainText('Refrigerated')
  await test.step('SPEC-032 the table is not paged', () => expect(region.getByLabel('Rows per page')).toHaveCount(0))
  await expect(page.getByRole('region', { name: 'Life Line' }).getByRole('listitem').last()).toContainText('Received')

  await page.getByRole('textbox', { name: 'Scan to receive' }).fill('no number')
  await page.keyboard.press('Enter')
  await expect(page.getByText('no number is not the bar code of a requisition')).toBeVisible()
  const other = await requisition(page, 1)
  await page.getByRole('textbox', { name: 'Scan to receive' }).fill('999')
  await page.keyboard.press('Enter')
  await expect(page.getByText('There is no requisition #999 that you can open.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Scan to receive' })).toBeFocused()
  await page.getByRole('textbox', { name: 'Scan to receive' }).fill(String(other.id))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/requisitions/${other.id}/show/specimens`))
  await expect(page.getByRole('region', { name: 'Add Specimen' })).toBeVisible()
})

test('SPEC-034..SPEC-037 SPEC-057..SPEC-060 samples are placed and discarded with the keyboard', async ({
  page,
  expectAccessible,
}) => {
  const { id } = await requisition(page, 2)
  await openPlacing(page, id)
  await page.locator('input[name="aliquot"]').fill('2')
  await expect(page.getByRole('radio', { name: /free$/ }).first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await expect(page.getByText('You are only allowed to select 2 location')).toBeVisible()
  // To the picture, which is one stop of the Tab key, and from free slot to free slot.
  await page
    .getByRole('radio', { name: /.+, \d+ free$/ })
    .and(page.locator(':checked'))
    .last()
    .focus()
  await page.keyboard.press('Tab')
  await expect(page.locator('button[aria-label$=", free"]:focus')).toBeVisible()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 of 2 selected')).toBeVisible()
  const slots = (await page.locator('.names').innerText()).split(', ')
  await page.getByRole('button', { name: 'Place', exact: true }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Successfully created')).toBeVisible()
  const region = page.getByRole('region', { name: 'Specimen Locations' })
  for (const slot of slots)
    await expect(region.locator('tr.row', { hasText: 'Placed' }).filter({ hasText: slot }).first()).toBeVisible()

  await region
    .getByRole('checkbox', { name: new RegExp(` ${slots[0]}$`) })
    .last()
    .focus()
  await page.keyboard.press('Space')
  await region.getByRole('button', { name: 'Discard 1 selected' }).focus()
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog')
  await expect(question).toContainText('Are you sure you want to discard 1 specimen location(s)?')
  await question.getByRole('button', { name: 'Discard' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Successfully updated')).toBeVisible()
  await expect(region.locator('tr.row', { hasText: 'Discard' }).first()).toBeVisible()
  await test.step('SPEC-069 the table is not paged', () => expect(region.getByLabel('Rows per page')).toHaveCount(0))
})

test('SPEC-058 SPEC-063 a slot that is chosen in another box says in which, for boxes of different racks have one name', async ({
  page,
}) => {
  const { id } = await requisition(page, 3)
  await openPlacing(page, id)
  const step = async (name: string, room: RegExp) => {
    const choice = page.getByRole('group', { name }).getByRole('radio', { name: room })
    await choice.dispatchEvent('click')
    await expect(choice).toBeChecked()
  }
  await step('Freezer', /^Freezer 2/)
  await step('Shelf', /^3, /)
  await step('Rack', /^A, /)
  await step('Box', /^03, /)
  const free = page.locator('button[aria-label$=", free"]')
  await expect(page.getByText(/› 3 › A › 03/)).toBeVisible()
  await free.last().click()
  const names = page.locator('.names')
  await expect(names).toHaveText(/^[A-Z]\d+$/)
  const slot = await names.innerText()
  await step('Rack', /^B, /)
  await step('Box', /^03, /)
  await expect(page.getByText(/› 3 › B › 03/)).toBeVisible()
  await expect(page.getByText('1 of 1 selected')).toBeVisible()
  await expect(names).toHaveText(`Freezer 2, -20 °C › 3 › A › 03 › ${slot}`)
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await expect(page.getByText('Successfully created')).toBeVisible()
  // The person who discards it sees the full location too.
  const region = page.getByRole('region', { name: 'Specimen Locations' })
  await region.getByRole('checkbox', { name: new RegExp(`Freezer 2, -20 °C › 3 › A › 03 › ${slot}$`) }).check()
  await region.getByRole('button', { name: 'Discard 1 selected' }).click()
  const question = page.getByRole('dialog')
  await expect(question).toContainText(`Freezer 2, -20 °C › 3 › A › 03 › ${slot}`)
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByText('Successfully updated')).toBeVisible()
})

test('SPEC-066..SPEC-068 LOOK-061..LOOK-063 each step to a box offers what the call for the step before it answers', async ({
  page,
}) => {
  const { id, labId } = await requisition(page, 4)
  interface Room {
    code: string
    description: string
  }
  const roomsAt = async (path: string): Promise<Room[]> =>
    (await (await page.request.get(path, { headers: headers() })).json()).data
  await openPlacing(page, id)
  const choices = (step: string) => page.getByRole('group', { name: step, exact: true }).getByRole('radio')
  const named = (step: string, { description }: Room) =>
    choices(step).and(page.locator(`[aria-label^=${JSON.stringify(`${description}, `)}]`))
  /** The last of a step is chosen: the next step is read by this call, and offers its answer. */
  const goOn = async (step: string, rooms: Room[], next: string, call: (code: string) => string) => {
    const chosen = rooms.at(-1) as Room
    const path = call(encodeURIComponent(chosen.code))
    const read = page.waitForResponse((reply) => new URL(reply.url()).pathname === path)
    await named(step, chosen).dispatchEvent('click')
    const { data } = (await (await read).json()) as { data: Room[] }
    expect(data.length).toBeGreaterThan(0)
    await expect(choices(next)).toHaveCount(data.length)
    for (const room of data) await expect(named(next, room)).toHaveCount(1)
    return { rooms: data, path }
  }
  const freezers = `/api/v3.0/labs/${labId}/dd_freezer`
  const shelf = await goOn('Freezer', await roomsAt(freezers), 'Shelf', (code) => `${freezers}/${code}/dd_shelf`)
  const rack = await goOn('Shelf', shelf.rooms, 'Rack', (code) => `${shelf.path}/${code}/dd_rack`)
  await goOn('Rack', rack.rooms, 'Box', (code) => `${rack.path}/${code}/dd_box`)
})

test('of two people who want the same slot one gets it, and the other is told and sees it taken', async ({
  page,
  browser,
  baseURL,
}) => {
  const first = await requisition(page, 3)
  // Both of the same laboratory.
  let second = 0
  for (const id of (await inWork(page)).slice(4)) {
    const { data } = await (await page.request.get(`/api/v3.0/requisitions/${id}`, { headers: headers() })).json()
    if (data.labId === first.labId) second = id
    if (second) break
  }
  const colleague = await browser.newPage({ ...(baseURL === undefined ? {} : { baseURL }) })
  await colleague.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  await openPlacing(page, first.id)
  await openPlacing(colleague, second)
  // The last slot of the last freezer: nobody else fills it meanwhile.
  for (const person of [page, colleague]) {
    await person.locator('fieldset', { hasText: 'Freezer' }).getByRole('radio').last().check()
    await person.getByRole('button', { name: /^I8, free$/ }).click()
    await expect(person.getByText('1 of 1 selected')).toBeVisible()
  }
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await expect(page.getByText('Successfully created')).toBeVisible()
  await colleague.getByRole('button', { name: 'Place', exact: true }).click()
  await expect(colleague.getByText('Slot I8 has just been taken by someone else').first()).toBeVisible()
  await expect(colleague.getByRole('button', { name: `I8, taken by #${first.id}` })).toBeVisible()
  await expect(colleague.getByText('0 of 1 selected')).toBeVisible()
  await colleague.close()
})

test('SPEC-073 Freezer Reverse Lookup: from a slot to its requisition, filtered and exported', async ({
  page,
  expectAccessible,
}) => {
  await test.step('SPEC-070 SPEC-072 the page is reached under More', async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page
      .getByRole('menuitem', { name: 'Freezer Reverse Lookup' })
      .or(page.getByRole('link', { name: 'Freezer Reverse Lookup' }))
      .first()
      .click()
    await expect(page).toHaveURL('/freezer-specs')
  })
  const rows = page.locator('tbody tr.row')
  await expect(rows.first()).toBeVisible()
  await expect(page.getByRole('columnheader')).toHaveText([
    'Freezer',
    'Shelf',
    'Rack',
    'Box',
    'Slot',
    'Req id',
    'Client',
    'Physician',
    'Patient Name',
    'Date Collected',
    'Date Received',
  ])
  for (const [id, name] of [
    ['SPEC-074', 'Freezer'],
    ['SPEC-075', 'Shelf'],
    ['SPEC-076', 'Rack'],
    ['SPEC-077', 'Box'],
    ['SPEC-078', 'Slot'],
    ['SPEC-079', 'Req id'],
    ['SPEC-080', 'Client'],
    ['SPEC-081', 'Physician'],
    ['SPEC-082', 'Patient Name'],
    ['SPEC-083', 'Date Collected'],
    ['SPEC-084', 'Date Received'],
  ] as const)
    await test.step(`${id} there is the column ${name}`, () =>
      expect(page.getByRole('columnheader', { name, exact: true })).toBeVisible())
  await test.step('SPEC-087 SPEC-088 nothing can be ticked or deleted', async () => {
    await expect(page.getByRole('checkbox')).toHaveCount(0)
    await expect(page.getByRole('button', { name: /^Delete/ })).toHaveCount(0)
  })
  // Not over the rows: truncated text there shows a tooltip.
  await page.mouse.move(700, 20)
  await expect(page.getByRole('tooltip')).toHaveCount(0)
  await expectAccessible(page)
  const reqId = (await rows.first().locator('td').nth(5).innerText()).trim()
  const filter = encodeURIComponent(JSON.stringify([{ id: 'reqId', value: reqId, viewValue: reqId }]))
  await test.step('SPEC-086 it is filtered by the address', async () => {
    await page.goto(`/freezer-specs?smartFilter=${filter}`)
    await expect(rows.first().locator('td').nth(5)).toHaveText(reqId)
  })
  await test.step('SPEC-085 SPEC-105 SPEC-106 SPEC-107 the export asks with one parameter per filter', async () => {
    const [request, download] = await Promise.all([
      page.waitForRequest(/freezer_specs\/export/),
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export All' }).click(),
    ])
    const asked = new URL(request.url()).searchParams
    expect([asked.get('reqId'), asked.get('filterActive'), asked.get('filter')]).toEqual([reqId, 'true', null])
    expect(download.suggestedFilename()).toMatch(/^freezer-.*\.xlsx$/)
  })
  await test.step('SPEC-079 the number leads to the requisition', async () => {
    await page.getByRole('link', { name: reqId }).first().click()
    await expect(page).toHaveURL(new RegExp(`/requisitions/${reqId}/show/locations`))
  })
})

test('a box is filled in one go: the samples are scanned, the plan is seen, one call places them', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/freezer-specs')
  await page.getByRole('link', { name: 'Fill Box' }).click()
  await expect(page.getByRole('group', { name: /^Slots of box/ })).toBeVisible()
  const { labId } = await requisition(page, 0)
  const asked = await page.request.get(`/api/v3.0/labs/${labId}/samples?id=${await inWork(page)}`, {
    headers: headers(),
  })
  const fit = (await asked.json()).data.filter(({ reason }: { reason: string | null }) => reason === null)
  const own: number[] = fit.slice(0, 6).map(({ reqId }: { reqId: number }) => reqId)
  const { data: labs } = await (await page.request.get('/api/v3.0/labs', { headers: headers() })).json()
  await choose(page, 'Lab', labs.find(({ id }: { id: number }) => id === labId).labName)
  await choose(page, /^Specimen Type/, 'Plasma aliquot')
  await choose(page, /^Aliquot\/Container/, 'Cryovial 1.0 mL')
  // The last box of the last freezer: nobody else fills it meanwhile.
  for (const step of ['Freezer', 'Shelf', 'Rack', 'Box'])
    await page.locator('fieldset', { hasText: step }).getByRole('radio').last().check()
  await page.getByRole('button', { name: 'B1, free' }).click()
  const scan = page.getByRole('textbox', { name: 'Sample numbers' })
  await scan.fill(`${own.slice(0, 4).join('\t')} 999999999 no-number`)
  await scan.press('Enter')
  await expect(page.getByText('no-number is not the bar code of a requisition')).toBeVisible()
  await expect(page.getByText('Requisition #999999999 not found')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Place 5' })).toBeDisabled()
  await page.getByRole('button', { name: 'Remove sample 5, #999999999' }).click()
  await scan.fill(`${own[4]}S`)
  await scan.press('Enter')
  await expect(page.getByRole('button', { name: 'B5, sample 5' })).toBeVisible()
  await expect(page.getByText('B1 to B5')).toBeVisible()
  await expectAccessible(page)
  const calls: string[] = []
  page.on('request', (request) => request.method() === 'POST' && calls.push(request.url()))
  const letGo = await hold(page, '**/slots')
  await page.getByRole('button', { name: 'Place 5' }).click()
  // What is scanned while they are being placed waits for the next box.
  await scan.fill(String(own[5]))
  await scan.press('Enter')
  await expect(page.getByRole('button', { name: `Remove sample 6, #${own[5]}` })).toBeVisible()
  letGo()
  await expect(page.getByText('Successfully created')).toBeVisible()
  await expect(page.getByRole('button', { name: `B5, taken by #${own[4]}` })).toBeVisible()
  // Another user frees an earlier slot while this one is elsewhere: the tube is stored where the screen said.
  await expect(page.getByRole('button', { name: 'B6, sample 1' })).toBeVisible()
  const locations = `/api/v3.0/requisitions/${own[0]}/spec_locs`
  const { data: lying } = await (await page.request.get(locations, { headers: headers() })).json()
  const freed = Math.max(...lying.map(({ id }: { id: number }) => id))
  expect((await page.request.delete(`${locations}/bulk_discard?id=${freed}`, { headers: headers() })).status()).toBe(
    200,
  )
  await page.goto('/freezer-specs')
  await page.getByRole('link', { name: 'Fill Box' }).click()
  await choose(page, 'Lab', labs.find(({ id }: { id: number }) => id === labId).labName)
  await expect(page.getByRole('button', { name: 'B1, free' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'B6, sample 1' })).toBeVisible()
  await page.getByRole('button', { name: `Remove sample 1, #${own[5]}` }).click()
  await expect(page.getByText('Nothing scanned yet')).toBeVisible()
  expect(calls.filter((url) => url.endsWith('/slots'))).toHaveLength(1)
})

test('SPEC-033 the specimens open under a row of the list', async ({ page }) => {
  const { id } = await requisition(page, 0)
  const filter = encodeURIComponent(JSON.stringify([{ id: 'reqId', value: String(id), viewValue: String(id) }]))
  await page.goto(`/requisitions?status=All&smartFilter=${filter}`)
  await expect(page.locator('tbody tr.row')).toHaveCount(1)
  await page.locator('tbody tr.row button[aria-expanded]').click()
  const table = page.getByRole('region', { name: 'Specimens' })
  await expect(table).toContainText(/\d+ received/)
  await expect(table.getByRole('columnheader')).toHaveText([
    'Specimen Type',
    'Temperature',
    'Container',
    'Tubes',
    'Date/Time Received',
    'Received By',
  ])
})

test.describe('one tube after the other', () => {
  const scan = async (page: Page, code: string) => {
    await page.getByRole('textbox', { name: 'Scan to receive' }).fill(code)
    await page.keyboard.press('Enter')
  }
  const form = (page: Page) => page.getByRole('region', { name: 'Add Specimen' })
  const temperature = (page: Page) => form(page).getByRole('combobox', { name: /^Temperature/ })

  test('SPEC-016 the next label asks before it takes the place of a receipt that was begun, and a late save does not close it', async ({
    page,
  }) => {
    const { id } = await requisition(page, 5)
    await page.goto(`/requisitions/${id}/show/specimens`)
    await scan(page, `${id}S`)
    await choose(page, /^Temperature/, 'Refrigerated')
    await scan(page, `${id}DP`)
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await expect(question).toContainText('What you typed is not saved.')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(temperature(page)).toHaveText('Refrigerated')

    const letGo = await hold(page, /\/specimens$/, (request) => request.method() === 'POST')
    await form(page).getByRole('button', { name: 'Add Specimen' }).click()
    await scan(page, `${id}DP`)
    await expect(temperature(page)).not.toHaveText('Refrigerated')
    letGo()
    await expect(page.getByText('Successfully created')).toBeVisible()
    await choose(page, /^Temperature/, 'Frozen on dry ice')
    await scan(page, `${id}S`)
    await question.getByRole('button', { name: 'Leave' }).click()
    await expect(temperature(page)).not.toHaveText('Frozen on dry ice')
    await expect(page).toHaveURL(/receive=S$/)
  })

  test('SPEC-016 a requisition that is found late does not open over the one that was scanned after it', async ({
    page,
  }) => {
    const [start, slow, quick] = [await requisition(page, 6), await requisition(page, 7), await requisition(page, 8)]
    await page.goto(`/requisitions/${start.id}/show/specimens`)
    const letGo = await hold(page, `**/api/v3.0/requisitions/${slow.id}`)
    await scan(page, String(slow.id))
    await scan(page, String(quick.id))
    await expect(page).toHaveURL(new RegExp(`/requisitions/${quick.id}/show/specimens`))
    const late = page.waitForResponse(`**/api/v3.0/requisitions/${slow.id}`)
    letGo()
    await late
    await expect(form(page)).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`/requisitions/${quick.id}/show/specimens`))

    // The same in the search of the list.
    await page.goto('/requisitions?status=All')
    const search = page.getByRole('searchbox', { name: 'Search Requisition' })
    const letGoAgain = await hold(page, `**/api/v3.0/requisitions/${start.id}`)
    await search.fill(String(start.id))
    await search.press('Enter')
    await search.fill(String(quick.id))
    await search.press('Enter')
    await expect(page).toHaveURL(`/requisitions/${quick.id}/show`)
    const found = page.waitForResponse(`**/api/v3.0/requisitions/${start.id}`)
    letGoAgain()
    await found
    await expect(page.getByRole('heading', { level: 1, name: new RegExp(`^#${quick.id} `) })).toBeVisible()
    await expect(page).toHaveURL(`/requisitions/${quick.id}/show`)
  })
})
