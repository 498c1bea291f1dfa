import { shown } from '../support/order-form.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { box, callsOf, clientWithZone, orderDay, text, unique } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

let session: Awaited<ReturnType<typeof sessionOf>>
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  await request.dispose()
})

/** What a whole paper order costs beside the code of its panel; the letters of names are free. It may not grow. */
const keysBesideCode = 38
const mostKeys = 60

test('DAY-10 DAY-11 DAY-14 a paper order is typed without a mouse in few keys, and the next of the pile starts with what they share', async ({
  page,
  look,
}) => {
  const api = callsOf(page.request, session)
  const client = (await clientWithZone(api)).clientName
  const [panel] = (await api.get('requisitions/create/tests')) as {
    code: string
    testCodes: string[]
    tubes: string[]
  }[]
  const code = panel?.code ?? ''
  const lastName = unique('Typed')
  const { keyboard } = page
  let keys = 0
  const press = async (chord: string) => {
    keys += chord.split('+').length
    await keyboard.press(chord)
  }
  const type = async (typed: string) => {
    keys += typed.length
    await keyboard.type(typed)
  }
  const at = (field: ReturnType<typeof text>) => expect(field).toBeFocused()
  const [year = '', month = '', day = ''] = orderDay().split('-')

  await openAs(page, session, '/requisitions/create')
  await at(box(page, 'Client'))
  // Enter at once: the list is still being searched.
  await keyboard.type(client)
  await press('Enter')
  await at(box(page, 'Physician'))
  await expect(box(page, 'Client')).toHaveValue(client)
  await expect(box(page, 'Client Event')).toHaveText('Routine orders')
  await keyboard.press('ArrowDown')
  await expect(page.getByRole('option').first()).toBeVisible()
  await press('Enter')
  await expect(box(page, 'Physician')).not.toHaveValue('')
  await at(text(page, 'External Order ID'))
  await press('Enter')
  await keyboard.type('Nora')
  await press('Enter')
  await at(text(page, 'Middle Name'))
  await press('Enter')
  await keyboard.type(lastName)
  await press('Enter')
  await at(text(page, 'DOB Month'))
  await type('03051961')
  await at(box(page, 'Gender'))
  await type('F')
  await expect(box(page, 'Gender')).toHaveText('Female')
  for (const name of ['Race', 'Ethnicity'] as const) {
    await press('Enter')
    await at(box(page, name))
  }
  await press('Enter')
  await at(text(page, 'SSN'))
  await press('Enter')
  await at(text(page, 'Collected Month'))
  await type(`${month}${day}${year}`)
  await at(text(page, 'Collected Hours'))
  await type('1005')
  await at(box(page, 'Time of day'))
  await press('Enter')
  await press('Enter')
  await press('Enter')
  await at(box(page, 'Tests'))
  await type(code)
  await expect(page.getByRole('option', { name: new RegExp(`^${code}`) }).first()).toBeVisible()
  await press('Enter')
  const needs = page.getByRole('list', { name: 'What the tests need' })
  await expect(needs).toContainText(panel?.testCodes.join(', ') ?? '')
  await expect(needs).toContainText(panel?.tubes[0] ?? '')
  await test.step('DAY-10 the zone of the client stands beside the time, and what was typed is whole', async () => {
    await expect(page.getByText(/^[A-Z]{2,4}, client's time$/)).toBeVisible()
    for (const [name, value] of Object.entries({ Month: '03', Day: '05', Year: '1961' }))
      await expect(text(page, `DOB ${name}`)).toHaveValue(value)
    await expect(page).toHaveURL('/requisitions/create')
  })
  await look(page, 'order-typed', deskAndPhone)
  await press('Control+Shift+Enter')
  await expect(page.getByText(/^Requisition #\d+: Successfully created/)).toBeVisible()
  console.log(`An order by keyboard: ${keys} key presses`)
  expect(keys).toBeLessThanOrEqual(Math.min(mostKeys, keysBesideCode + code.length))

  await test.step('DAY-11 the next order keeps client, physician, event, lab and day, and starts at the first name', async () => {
    await expect(page).toHaveURL('/requisitions/create')
    await at(text(page, 'First Name'))
    await expect(box(page, 'Client')).toHaveValue(client)
    await expect(box(page, 'Physician')).not.toHaveValue('')
    await expect(box(page, 'Client Event')).toHaveText('Routine orders')
    await expect(text(page, 'Collected Year')).toHaveValue(year)
    for (const name of ['First Name', 'Last Name', 'DOB Month', 'Collected Hours', 'External Order ID'])
      await expect(text(page, name)).toHaveValue('')
    await expect(needs).toHaveCount(0)
  })
  await test.step('DAY-10 a whole date is pasted into the first part, and a year of two digits is completed', async () => {
    await text(page, 'DOB Month').fill('3/5/61')
    await expect(text(page, 'DOB Day')).toHaveValue('05')
    await expect(text(page, 'DOB Year')).toHaveValue('1961')
    await at(box(page, 'Gender'))
    await text(page, 'Collected Year').fill(year.slice(2))
    await press('Enter')
    await expect(text(page, 'Collected Year')).toHaveValue(year)
  })
  await test.step('DAY-10 Ctrl+Enter saves', async () => {
    await text(page, 'First Name').fill('Ida')
    await text(page, 'Last Name').fill(unique('Second'))
    await box(page, 'Gender').focus()
    await press('M')
    await text(page, 'Collected Hours').fill('11')
    await text(page, 'Collected Minutes').fill('20')
    await press('Control+Enter')
    await expect(page).toHaveURL(shown)
  })
})
