import type { Page } from '@playwright/test'
import { galleryOf } from '../support/gallery.ts'
import { managementSession, newPerson, openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test.describe('every kind of input', () => {
  // One build for all tests of the file, by one worker.
  test.describe.configure({ mode: 'serial' })
  const gallery = galleryOf('form-gallery')
  test.beforeAll(async () => {
    test.setTimeout(120_000)
    await gallery.build()
  })
  test.afterAll(() => gallery.remove())

  const open = async (page: Page) => {
    await gallery.open(page)
    await expect(page.getByRole('heading', { name: 'Every kind' })).toBeVisible()
    await expect(page.getByRole('checkbox', { name: 'Accessioning' }).first()).toBeVisible()
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

  test.beforeEach(({ faults }) => {
    faults.expect(/No input for the field lost/)
  })

  test('TABLE-047 TABLE-048 TABLE-049 TABLE-050 TABLE-092 all fields in view are checked at once, hidden ones are not, and a field without input only logs', async ({
    page,
  }) => {
    const logged = page.waitForEvent('console', (message) => message.text() === 'No input for the field lost')
    await open(page)
    await logged
    await save(page).click()
    for (const label of ['Text', 'Number', 'Unit', 'Gender', 'Country', 'Date of Birth', 'Departments'])
      await expect(page.getByText(`${label} is required`, { exact: true })).toBeVisible()
    await expect(page.getByText('Hours fasted is required')).toBeHidden()
    await expect(page.getByLabel('Text', { exact: false }).first()).toBeFocused()
    await page.getByRole('checkbox', { name: 'Fasting' }).check()
    await expect(page.getByText('Hours fasted is required')).toBeVisible()
    await expect(page.getByTestId('saved')).toBeHidden()
    await expect(page.getByText('Own control')).toBeVisible()
  })

  test('TABLE-G24 SHELL-63 every kind takes its value, by keyboard alone', async ({ page }) => {
    test.setTimeout(60_000)
    await open(page)
    const codes = page.locator('.MuiSelect-root, .MuiInputBase-root').filter({ has: page.locator('[name="reqPass"]') })
    expect((await codes.first().boundingBox())?.width).toBe(150)
    await page.getByLabel('Text *').first().focus()
    const type = (text: string) => page.keyboard.type(text)
    const tab = () => page.keyboard.press('Tab')
    await type('Jane')
    await tab()
    await type('0042')
    await tab()
    await type('7.5')
    await tab()
    await type('1 503 abc555 0142')
    await tab()
    // The short key picks while the closed select has the focus.
    await type('l')
    await expect(page.getByRole('combobox', { name: 'Unit' })).toHaveText('Pound')
    await page.getByRole('radio', { name: 'Female' }).focus()
    await page.keyboard.press('Space')
    const country = page.getByRole('combobox', { name: 'Country' })
    await country.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'United States', exact: true }).click()
    const state = page.getByRole('combobox', { name: 'State' })
    await state.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Oregon' }).click()
    await test.step('TABLE-066 TABLE-067 the states are those of the country, and another country clears the state', async () => {
      await expect(state).toHaveText('Oregon')
      await country.click()
      await page.getByRole('option', { name: 'Canada' }).click()
      await expect(state).not.toHaveText('Oregon')
    })
    await country.click()
    await page.getByRole('option', { name: 'United States', exact: true }).click()
    const icd = page.getByRole('combobox', { name: 'ICD Code' })
    await icd.focus()
    const searched = page.waitForRequest(
      (request) => request.url().includes('/icds?') && request.url().includes('E11.9'),
    )
    await type('E11.9')
    await searched
    await page
      .getByRole('option', { name: /^E11\.9 / })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await expect(icd).toHaveValue(/^E11\.9 /)
    await page.getByRole('textbox', { name: 'Date of Birth' }).focus()
    await type('01021960')
    await expect(page.getByRole('textbox', { name: 'Date of Birth' })).toHaveValue('01/02/1960')
    await page.getByRole('textbox', { name: 'Date Collected' }).fill('11/08/2026-11/14/2026')
    const time = page.getByRole('combobox', { name: 'Time' })
    await time.focus()
    await type('9')
    await expect(page.getByRole('option')).toHaveText(['09:00', '09:15', '09:30', '09:45'])
    await tab()
    await expect(time).toHaveValue('09:00')
    const pass = page.getByRole('combobox', { name: 'Pass Codes', exact: true })
    await pass.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().click()
    await page.keyboard.press('Escape')
    expect((await pass.boundingBox())?.width).toBeLessThanOrEqual(150)
    await page.getByRole('checkbox', { name: 'Accessioning' }).focus()
    await page.keyboard.press('Space')
    const fasting = page.getByRole('checkbox', { name: 'Fasting' })
    await fasting.check()
    await expect(page.getByLabel('Hours fasted')).toBeVisible()
    await fasting.uncheck()
    await page.getByLabel('Password', { exact: true }).fill('Secret-1')
    await page.getByLabel('Note').fill('One\nTwo')
    await page.getByLabel('Text *').first().press('Enter')
    const saved = JSON.parse(await page.getByTestId('saved').innerText())
    expect(saved).toMatchObject({
      text: 'Jane',
      code: '0042',
      number: 7.5,
      phone: '15035550142',
      unit: 'LB',
      gender: 'FEMALE',
      stateId: null,
      icdId: expect.any(Number),
      birth: '1960-01-02',
      range: '[11/08/2026-11/14/2026]',
      time: '09:00',
      reqPass: [expect.any(Number)],
      depts: [expect.any(Number)],
      note: 'One\nTwo',
    })
    for (const [id, name, value] of [
      ['TABLE-068', 'phone', '15035550142'],
      ['TABLE-069', 'gender', 'FEMALE'],
      ['TABLE-070', 'depts', [expect.any(Number)]],
      ['TABLE-071', 'isFasting', 0],
      ['TABLE-072', 'unit', 'LB'],
      ['TABLE-073', 'reqPass', [expect.any(Number)]],
      ['TABLE-076', 'secret', 'Secret-1'],
      ['TABLE-077', 'text', 'Jane'],
      ['TABLE-078', 'number', 7.5],
      ['TABLE-079', 'code', '0042'],
      ['TABLE-080', 'note', 'One\nTwo'],
      ['TABLE-081', 'icdId', expect.any(Number)],
      ['TABLE-082', 'range', '[11/08/2026-11/14/2026]'],
      ['TABLE-083', 'birth', '1960-01-02'],
      ['TABLE-084', 'time', '09:00'],
    ] as const)
      await test.step(`${id} the field ${name} takes its value`, () => expect(saved[name]).toEqual(value))
  })

  test('TABLE-051..TABLE-057 TABLE-G14 parts of dates and times show their own messages', async ({ page }) => {
    await open(page)
    for (const [label, text, message] of [
      ['Day', '32', 'Invalid date'],
      ['Day', 'x', 'Date must be a number'],
      ['DOB Month', '13', 'Invalid month'],
      ['Year', '196', 'Invalid year'],
      ['Hours', '13', 'Invalid hours'],
      ['Minutes', '60', 'Invalid minutes'],
    ] as const) {
      const input = page.getByRole('textbox', { name: label }).last()
      await expect(input).toHaveAccessibleDescription(`${label.replace('DOB ', '')} is required`)
      await input.fill(text)
      await expect(input).toHaveAccessibleDescription(message)
      await input.fill('')
    }
    const half = page.getByRole('combobox', { name: 'AM/PM' })
    await half.focus()
    await page.keyboard.press('p')
    await expect(half).toHaveText('PM')
  })

  test('TABLE-058 TABLE-059 TABLE-060 TABLE-064 a birth date is refused when it does not exist, and picked by its year', async ({
    page,
    expectAccessible,
  }) => {
    await open(page)
    const input = page.getByRole('textbox', { name: 'Date of Birth' })
    await input.fill('02/30/1960')
    await save(page).click()
    await expect(input).toHaveAccessibleDescription('Invalid date')
    await input.fill('')
    await page.getByRole('button', { name: 'Choose Date of Birth' }).click()
    const years = page.getByRole('radio', { name: /^\d{4}$/ })
    const now = new Date().getFullYear()
    await expect(years.first()).toHaveText(String(now))
    await expect(years.last()).toHaveText(String(now - 100))
    await expectAccessible(page)
    await page.getByRole('radio', { name: '1960' }).click()
    await page.getByRole('gridcell', { name: '15' }).click()
    await expect(input).toHaveValue(/^\d\d\/15\/1960$/)
  })

  test('axe finds nothing on any kind', async ({ page, look }) => {
    await open(page)
    const widths = [1440, 1024, 390]
    await look(page, 'gallery', widths)
    await save(page).locator('visible=true').click()
    await expect(page.getByText('Text is required')).toBeVisible()
    await look(page, 'gallery-errors', widths)
    await page.getByRole('combobox', { name: 'Unit' }).click()
    await look(page, 'gallery-menu', widths)
  })
})

test.describe('what is typed', () => {
  test('PAT-G12 survives a reload as a draft that can be resumed or discarded', async ({ page, expectAccessible }) => {
    const person = await newPerson(page.request)
    await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
    page.on('dialog', (dialog) => dialog.accept())
    const kept = page.waitForResponse(
      (response) => response.url().includes('/drafts/user/new') && response.request().method() === 'PUT',
    )
    await page.getByLabel('First Name').fill('Jane')
    expect((await kept).status()).toBe(200)
    await page.reload()
    await expect(page.getByText(/^Not saved: /)).toBeVisible()
    await expect(page.getByLabel('First Name')).toHaveValue('')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Resume editing' }).click()
    await expect(page.getByLabel('First Name')).toHaveValue('Jane')
    await expect(page.getByText(/^Not saved: /)).toBeHidden()
    await page.reload()
    const dropped = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Discard' }).click()
    await dropped
    await page.reload()
    await expect(page.getByLabel('First Name')).toHaveValue('')
    await expect(page.getByRole('button', { name: 'Resume editing' })).toBeHidden()
  })

  test('is not offered as a draft of its own when the session is renewed in the middle of typing', async ({ page }) => {
    const person = await newPerson(page.request)
    await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
    const kept = (text: string, status = 200) =>
      page.waitForResponse(
        (response) =>
          response.url().includes('/drafts/user/new') &&
          response.request().method() === 'PUT' &&
          response.request().postData()?.includes(text) === true &&
          response.status() === status,
      )
    const isStored = kept('Jane')
    await page.getByLabel('First Name').fill('Jane')
    await isStored
    // The token runs out; everything on screen is read again with the new one.
    await page.route('**/drafts/user/new/*', (route) => route.fulfill({ status: 420, json: {} }), { times: 1 })
    const isSentAgain = kept('Doe')
    await page.getByLabel('Last Name').fill('Doe')
    await isSentAgain
    const isStillKept = kept('Jane Ann')
    await page.getByLabel('First Name').fill('Jane Ann')
    await isStillKept
    await expect(page.getByText(/^Not saved: /)).toBeHidden()
  })

  test('is not left without a question, however slowly the rest of the page comes', async ({
    page,
    expectAccessible,
  }) => {
    const person = await newPerson(page.request)
    await page.route(/\/assets\/(leave-guard|session-expired)/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 5000))
      await route.continue()
    })
    await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
    await page.getByLabel('First Name').fill('Jane')
    await page.getByRole('link', { name: 'User Profile' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await expect(dialog).toBeVisible()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByLabel('First Name')).toHaveValue('Jane')
    await page.getByRole('link', { name: 'User Profile' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL('/user-profile')
    await page.goto('/users/create')
    await expect(page.getByRole('button', { name: 'Resume editing' })).toBeVisible()
  })

  test('is kept as promised, also by who leaves and closes the tab at once', async ({ page, context }) => {
    const person = await newPerson(page.request)
    await openAs(page, await sessionOf(page.request, person.userName, person.password), '/users/create')
    await page.getByLabel('First Name').fill('Jane')
    await page.getByRole('link', { name: 'User Profile' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await expect(dialog.getByText(/It is kept as a draft/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL('/user-profile')
    await page.close()
    const next = await context.newPage()
    await next.goto('/users/create')
    await expect(next.getByRole('button', { name: 'Resume editing' })).toBeVisible()
  })

  test('is promised as a draft only once it can be kept, which is tried until it succeeds', async ({
    page,
    faults,
  }) => {
    faults.expect(/status of 500/)
    const person = await newPerson(page.request)
    const session = await sessionOf(page.request, person.userName, person.password)
    await page.clock.install()
    let writes = 0
    await page.route('**/drafts/user/new/*', (route) => {
      if (route.request().method() !== 'PUT' || ++writes > 2) return route.fallback()
      return route.fulfill({ status: 500, json: { message: 'Broken' } })
    })
    await openAs(page, session, '/users/create')
    await page.getByLabel('First Name').fill('Jane')
    await expect
      .poll(async () => {
        await page.clock.fastForward(1000)
        return writes
      })
      .toBe(1)
    await page.getByRole('link', { name: 'User Profile' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await expect(dialog.getByText('What you typed is not saved.', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const kept = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok())
    await expect
      .poll(async () => {
        await page.clock.fastForward(30_000)
        return writes
      })
      .toBeGreaterThan(2)
    await kept
    await page.getByRole('link', { name: 'User Profile' }).click()
    await expect(dialog.getByText('It is kept as a draft')).toBeVisible()
  })

  test('TABLE-132 stays after a refusal of the server, which is shown under its field', async ({ page }) => {
    const person = await newPerson(page.request)
    await openAs(page, await managementSession(page.request), '/users/create')
    await page.getByLabel('Username').fill(person.userName)
    await page.getByLabel('First Name').fill('Jane')
    await page.getByLabel('Last Name').fill('Doe')
    await page.getByLabel('Email').fill('jane@example.com')
    await page.getByLabel('Phone').fill('15035550142')
    await page.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Billing' }).click()
    await page.getByRole('group', { name: 'Department' }).getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page.getByLabel('Username')).toHaveAccessibleDescription('Username is already taken')
    await expect(page.getByLabel('Username')).toBeFocused()
    await expect(page.getByLabel('First Name')).toHaveValue('Jane')
  })
})
