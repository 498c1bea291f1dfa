import type { Locator, Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import {
  box,
  callsOf,
  card,
  clientWithZone,
  daysAgo,
  field,
  newRequisition,
  text,
  unique,
} from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

let session: Awaited<ReturnType<typeof sessionOf>>
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  await request.dispose()
})
const api = (page: Page) => callsOf(page.request, session)

const tabs = [
  ['DETAIL-011', 'view', 'View'],
  ['DETAIL-012', 'issues', 'Issues'],
  ['DETAIL-013', 'specimens', 'Specimens'],
  ['DETAIL-014', 'locations', 'Locations'],
  ['DETAIL-015', 'tests', 'Tests'],
  ['DETAIL-016', 'status', 'Status'],
  ['DETAIL-017', 'reportsDelivery', 'Reports/Delivery'],
  ['DETAIL-018', 'activity', 'Activity'],
  ['DETAIL-019', 'labNotes', 'QA Notes'],
  ['DETAIL-020', 'billing', 'Billing'],
  ['DETAIL-021', 'payments', 'Payments'],
  ['DETAIL-022', 'patientHistory', 'Patient History'],
] as const

test('DETAIL-009 DETAIL-010 DETAIL-037 the page of a requisition has its tabs, the add button and the duplicate button', async ({
  page,
}) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show`)
  const links = page.getByRole('navigation', { name: 'Parts of the requisition' }).getByRole('link')
  await expect(links).toHaveCount(tabs.length)
  for (const [row, slug, label] of tabs)
    await test.step(`${row} ${label} is the tab ${slug}`, async () => {
      const link = links.nth(tabs.findIndex(([, one]) => one === slug))
      await expect(link).toContainText(label)
      await expect(link).toHaveAttribute('href', `/requisitions/${id}/show${slug === 'view' ? '' : `/${slug}`}`)
    })
  await expect(page.getByRole('button', { name: 'Duplicate This Requisition' })).toBeVisible()
  await page.getByRole('link', { name: 'Requisition', exact: true }).click()
  await expect(page).toHaveURL(/\/requisitions\/create/)
  await openAs(page, await sessionOf(page.request, 'collaborator'), '/requisitions')
  await page.getByRole('table').first().getByRole('link', { name: /^\d+$/ }).first().click()
  await expect(card(page, 'Requisition Information')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Requisition', exact: true })).toHaveCount(0)
})

test('the view of a requisition shows what is stored', async ({ page }) => {
  const calls = api(page)
  const id = await newRequisition(calls)
  const { id: clientId } = await clientWithZone(calls)
  const [physician] = await calls.get(`clients/${clientId}/physicians`)
  const collected = daysAgo(14)
  const [year = '', month = '', day = ''] = collected.split('-')
  await calls.put(`requisitions/${id}`, {
    copyToClientId: clientId,
    copyToClientPhysId: physician.clientPhysId,
    extOrderId: '00-77',
    extAccessionId: 'AX-9',
    isFasting: 1,
    dateCollected: `${collected}T10:05`,
    timeCentrifuged: '11:40',
    collectCode: 'VENI',
    collectedBy: 'L. Marchetti',
  })
  await calls.put(`requisitions/${id}`, { legacyIcdNote: 'E78.5 by phone' })
  const stored = await calls.get(`requisitions/${id}`)
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  const value = (label: string) => info.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('+ dd')
  for (const [row, label, field] of [
    ['DETAIL-085', 'Collaborator', 'colaName'],
    ['DETAIL-086', 'Client', 'clientName'],
    ['DETAIL-087', 'Client', 'legacyClientId'],
    ['DETAIL-088', 'Ordering Physician', 'physLastName'],
    ['DETAIL-088', 'Ordering Physician', 'physFirstName'],
    ['DETAIL-089', 'Client Event', 'eventName'],
    ['DETAIL-090', 'Ext. Order ID', 'extOrderId'],
    ['DETAIL-091', 'Lab', 'labName'],
    ['DETAIL-092', 'Ext. Accession ID', 'extAccessionId'],
    ['DETAIL-096', 'Date Collected', 'collectedTzAbbr'],
    ['DETAIL-097', 'Time Centrifuged', 'timeCentrifuged'],
    ['DETAIL-098', 'Collection Method', 'collectDesc'],
    ['DETAIL-099', 'Collected By', 'collectedBy'],
    ['DETAIL-100', 'Copy to Client', 'copyToClientName'],
    ['DETAIL-101', 'Copy to Physician', 'copyToPhysFirstName'],
    ['DETAIL-102', 'Copy to Physician', 'copyToPhysLastName'],
  ] as const)
    await test.step(`${row} ${label} shows ${field}`, async () => {
      expect(stored[field]).toBeTruthy()
      await expect(value(label)).toContainText(stored[field])
    })
  await test.step('DETAIL-093 Fasting is Yes or No', () => expect(value('Fasting')).toHaveText('Yes'))
  await test.step('DETAIL-094 the moment of collection is shown by the clocks of the client', () =>
    expect(value('Date Collected')).toContainText(`${month}/${day}/${year.slice(2)} 10:05`))
  await test.step('DETAIL-095 the zone of collection decides what its clock shows', async () => {
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: stored.collectedTz,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    })
    await expect(value('Date Collected')).toContainText(clock.format(new Date(stored.dateCollected)))
  })
  await test.step('DETAIL-103 the ICD notes are shown', () =>
    expect(page.getByRole('region', { name: 'Client ICD Notes' })).toContainText('E78.5 by phone'))
  await test.step('DETAIL-104 the status is shown in the header', () =>
    expect(page.getByRole('link', { name: /^Status Logged/ })).toBeVisible())
})

test('the forms of patient and requisition name what is missing or out of bounds', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  const save = info.getByRole('button', { name: 'Save' }).first()
  for (const [row, label] of [
    ['PAT-070', 'First Name'],
    ['PAT-071', 'Last Name'],
    ['PAT-074', 'DOB Month'],
    ['PAT-075', 'DOB Day'],
    ['PAT-076', 'DOB Year'],
  ] as const)
    await test.step(`${row} ${label} is required`, async () => {
      await text(page, label).fill('')
      await save.click()
      await expect(page.getByText(`${label} is required`, { exact: true })).toBeVisible()
    })
  for (const [row, label, typed, message] of [
    ['PAT-085', 'Weight', '0', 'Weight must be great than 0'],
    ['PAT-086', 'Weight', 'heavy', 'Weight is required'],
    ['PAT-088', 'Height Feet', '9', 'Height must be less than or equal to 8 feet.'],
    ['PAT-090', 'Height Inches', '-1', 'Height Inches must be positive'],
    ['PAT-091', 'Height Inches', '97', 'Height must be less than or equal to 96 inches.'],
  ] as const)
    await test.step(`${row} ${label} ${typed} says: ${message}`, async () => {
      // One fault at a time: feet and inches make one height.
      if (label === 'Height Inches') await text(page, 'Height Feet').fill('')
      await text(page, label).fill(typed)
      await save.click()
      await expect(text(page, label)).toHaveAccessibleDescription(message)
    })
  await test.step('PAT-092 a negative height in centimetres is refused', async () => {
    await text(page, 'Height Feet').fill('')
    await text(page, 'Height Inches').fill('')
    await box(page, 'Height unit').click()
    await page.getByRole('option', { name: /cent|cm/i }).click()
    await text(page, 'Height Cm').fill('-1')
    await save.click()
    await expect(text(page, 'Height Cm')).toHaveAccessibleDescription('Height Cm must be great than 0')
  })
})

test('a required choice has no empty option', async ({ page }) => {
  const id = await newRequisition(api(page))
  const expectRequired = async (choice: Locator) => {
    await expect(choice).toHaveAttribute('aria-required', 'true')
    await choice.click()
    await expect(page.getByRole('option').first()).toBeVisible()
    for (const option of await page.getByRole('option').allTextContents()) expect(option.trim()).not.toBe('')
    await page.getByRole('option').first().click()
  }
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await test.step('PAT-072 the gender of a patient', () => expectRequired(box(page, 'Gender')))
  await openAs(page, session, `/requisitions/${id}/show/specimens`)
  await page.getByRole('button', { name: 'Add Specimen' }).first().click()
  await test.step('SPEC-029 AM or PM of a receipt', () => expectRequired(box(page, 'Time of day')))
  await openAs(page, session, '/requisitions/create')
  await test.step('CREATE-59 the laboratory of a new order', () => expectRequired(box(page, 'Lab')))
  await test.step('CREATE-75 AM or PM of a collection', () => expectRequired(box(page, 'Time of day')))
})

/** Takes the choice away, once its name has been loaded: before that there is no text to delete. */
const empty = async (page: Page, label: string) => {
  const choice = box(page, label)
  await expect(async () => {
    await expect(choice).not.toHaveValue('', { timeout: 10_000 })
    await choice.fill('')
    await page.keyboard.press('Tab')
    await expect(choice).toHaveValue('', { timeout: 3000 })
  }).toPass()
}

test('the requisition cannot be saved without its parties', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  const save = info.getByRole('button', { name: 'Save' }).first()
  await expect(box(page, 'Physician')).not.toHaveValue('')
  for (const [row, label] of [
    ['DETAIL-129', 'Collaborator'],
    ['DETAIL-130', 'Client'],
  ] as const)
    await test.step(`${row} ${label} is required`, async () => {
      await empty(page, label)
      await save.click()
      await expect(page.getByText(`${label} is required`, { exact: true })).toBeVisible()
    })
  // Without a client there is nothing to choose from.
  for (const [row, label] of [
    ['DETAIL-131', 'Physician'],
    ['DETAIL-132', 'Client Event'],
    ['DETAIL-133', 'Lab'],
  ] as const)
    await test.step(`${row} ${label} is required`, () =>
      expect(page.getByText(`${label} is required`, { exact: true })).toBeVisible())
})

test('a specimen and a location name what is missing', async ({ page }) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/specimens`)
  await page.getByRole('button', { name: 'Add Specimen' }).first().click()
  const form = page.getByRole('region', { name: 'Add Specimen' })
  for (const name of ['Number of Tubes', 'Received Month', 'Received Day', 'Received Year', 'Received Hours'])
    await form.getByLabel(name).fill('')
  await form.getByLabel('Received Minutes').fill('')
  await form.getByRole('button', { name: 'Add Specimen' }).click()
  for (const [row, label] of [
    ['SPEC-020', 'Specimen Type'],
    ['SPEC-021', 'Temperature'],
    ['SPEC-022', 'Container'],
    ['SPEC-023', 'Number of Tubes'],
    ['SPEC-024', 'Received Month'],
    ['SPEC-025', 'Received Day'],
    ['SPEC-026', 'Received Year'],
    ['SPEC-027', 'Received Hours'],
    ['SPEC-028', 'Received Minutes'],
  ] as const)
    await test.step(`${row} ${label} is required`, () =>
      expect(form.getByText(`${label} is required`, { exact: true })).toBeVisible())

  await openAs(page, session, `/requisitions/${id}/show/locations`)
  await page.getByRole('button', { name: 'Place', exact: true }).first().click()
  const dialog = page.getByRole('dialog')
  await test.step('SPEC-053 one aliquot is preset', () =>
    expect(dialog.locator('input[name="aliquot"]')).toHaveValue('1'))
  await dialog.locator('input[name="aliquot"]').fill('')
  await dialog.getByRole('button', { name: 'Place', exact: true }).click()
  for (const [row, label] of [
    ['SPEC-054', 'Specimen Type'],
    ['SPEC-055', 'Aliquot/Container'],
    ['SPEC-056', 'Aliquot'],
  ] as const)
    await test.step(`${row} ${label} is required`, () =>
      expect(dialog.getByText(`${label} is required`, { exact: true })).toBeVisible())
})

test('DETAIL-048 DETAIL-151 DETAIL-170 a QA note needs its type, the status its list, and the history asks for changes of status', async ({
  page,
}) => {
  const id = await newRequisition(api(page))
  await openAs(page, session, `/requisitions/${id}/show/labNotes`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Type of Note is required')).toBeVisible()
  const asked = page.waitForRequest(/req_status_types/)
  await openAs(page, session, `/requisitions/${id}/show/status`)
  await asked
  await expect(box(page, 'Status')).toBeVisible()
  await openAs(page, session, `/requisitions/${id}/show/activity`)
  const filtered = page.waitForRequest(/req_hists\?.*reqActionCode.*STATUS/)
  await page.getByLabel('Show only the Status change').check()
  await filtered
})

test('the create form asks for lab, collaborator and time of day, presets the event, and takes a height in centimetres', async ({
  page,
}) => {
  await openAs(page, session, '/requisitions/create')
  await expect(box(page, 'Collaborator')).not.toHaveValue('')
  await test.step('CREATE-47 centimetres have a field of their own', async () => {
    await box(page, 'Height unit').click()
    await page.getByRole('option', { name: /cent|cm/i }).click()
    await expect(field(page, 'Height Cm')).toBeVisible()
  })
  await test.step('CREATE-58 the event is preset with the client', async () => {
    const { clientName } = await clientWithZone(api(page))
    await box(page, 'Client').fill(clientName)
    await page.getByRole('option', { name: clientName, exact: true }).click()
    await expect(box(page, 'Client Event')).not.toHaveText('')
  })
  await test.step('CREATE-60 the collaborator is required', async () => {
    await empty(page, 'Collaborator')
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    await expect(page.getByText('Collaborator is required', { exact: true })).toBeVisible()
  })
})

test('PAT-098 patients are looked for a second after the last key', async ({ page }) => {
  await openAs(page, session, '/requisitions/create')
  await expect(text(page, 'Last Name')).toBeVisible()
  const asked = page.waitForRequest(/\/api\/v3\.0\/patients\?/)
  const typedAt = Date.now()
  await text(page, 'Last Name').fill(unique('Nobody'))
  await asked
  expect(Date.now() - typedAt).toBeGreaterThanOrEqual(990)
})

test('DETAIL-144 a time of collection cannot be changed for a client without a time zone', async ({ page }) => {
  const id = await newRequisition(api(page))
  await page.route(`**/api/v3.0/requisitions/${id}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const reply = await route.fetch()
    const body = await reply.json()
    await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, clientTz: 'TZNA' } } })
  })
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await text(page, 'Collected Minutes').fill('15')
  await text(page, 'Centrifuged Hour').fill('7')
  await text(page, 'Centrifuged Min').fill('40')
  await info.getByRole('button', { name: 'Save' }).first().click()
  await expect(
    page
      .getByText("Client Timezone is not available, please make sure the client's timezone is set correctly.")
      .first(),
  ).toBeVisible()
  expect((await api(page).get(`requisitions/${id}`)).version).toBe(1)
})

test('sales add no work log, and cannot choose pass and fail codes', async ({ page }) => {
  const sales = await sessionOf(page.request, 'sales')
  const rows: { id: number; issueCount: number }[] = await callsOf(page.request, sales).get(
    'requisitions/ALL?page=1&perPage=100',
  )
  const id = rows.find(({ issueCount }) => issueCount > 0)?.id ?? rows[0]?.id
  await openAs(page, sales, `/requisitions/${id}/show/issues`)
  await expect(page.getByRole('region', { name: 'Issues' })).toBeVisible()
  await test.step('ISSUE-09 there is no button for a work log', () =>
    expect(page.getByRole('button', { name: 'Add Work Log' })).toHaveCount(0))
  await openAs(page, sales, `/requisitions/${id}/show/status`)
  await test.step('DETAIL-034 the codes cannot be chosen', async () => {
    await expect(page.getByRole('heading', { name: 'Fail / Pass Codes' })).toBeVisible()
    for (const name of ['Fail Codes', 'Pass Codes'])
      await expect(page.getByRole('combobox', { name, disabled: false })).toHaveCount(0)
  })
})
