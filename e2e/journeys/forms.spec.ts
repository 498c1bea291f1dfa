import type { Page } from '@playwright/test'
import { galleryOf } from '../support/gallery.ts'
import { managementSession, newPerson, openAs, sessionOf } from '../support/people.ts'
import { callsOf } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

test.describe('every kind of input', () => {
  // One build for all tests of the file, by one worker.
  test.describe.configure({ mode: 'serial' })
  const gallery = galleryOf('form-gallery')
  test.beforeAll(async () => {
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

  const tab = (page: Page) => page.keyboard.press('Tab')
  /** Opens a select by keys and picks so many of its first options; those of several codes stay open until Escape. */
  const pickFirst = async (page: Page, name: string, count = 1) => {
    await page.getByRole('combobox', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().waitFor()
    for (let at = 0; at < count; at++) {
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Escape')
  }
  /** All that the form asks for. */
  const fillRequired = async (page: Page) => {
    await page.getByLabel('Text *').first().fill('Jane')
    await page.getByRole('textbox', { name: 'Number' }).fill('7.5')
    await page.getByRole('textbox', { name: 'Phone' }).fill('15035550142')
    await page.getByRole('combobox', { name: 'Unit' }).press('l')
    await page.getByRole('radio', { name: 'Female' }).press('Space')
    await page.getByRole('combobox', { name: 'Country' }).press('Enter')
    await page.getByRole('option', { name: 'United States', exact: true }).press('Enter')
    await page.getByRole('textbox', { name: 'Date of Birth' }).fill('01/02/1960')
    await page.getByRole('checkbox', { name: 'Accessioning' }).press('Space')
  }
  const savedBy = async (page: Page) => {
    await page.getByLabel('Text *').first().press('Enter')
    return JSON.parse(await page.getByTestId('saved').innerText())
  }

  test('TABLE-068 TABLE-076..TABLE-080 TABLE-G24 what is typed: texts, identifiers, numbers, phones, passwords, lines', async ({
    page,
  }) => {
    await open(page)
    await fillRequired(page)
    await page.getByLabel('Text *').first().focus()
    const type = (text: string) => page.keyboard.type(text)
    await page.keyboard.press('ControlOrMeta+a')
    await type(' Jane ')
    await tab(page)
    await type('0042')
    await tab(page)
    await page.keyboard.press('ControlOrMeta+a')
    await type('seven')
    await save(page).click()
    await expect(page.getByRole('textbox', { name: 'Number' })).toHaveAccessibleDescription(/Number/)
    await page.getByRole('textbox', { name: 'Number' }).fill('8.25')
    await tab(page)
    await page.keyboard.press('ControlOrMeta+a')
    await type('1 503 abc555 0143')
    const secret = page.getByLabel('Password', { exact: true })
    await secret.fill('hidden words')
    await expect(secret).toHaveAttribute('type', 'password')
    await page.getByLabel('Note').focus()
    await type('One')
    await page.keyboard.press('Enter')
    await type('Two')
    expect(await savedBy(page)).toMatchObject({
      text: 'Jane',
      code: '0042',
      number: 8.25,
      phone: '15035550143',
      secret: 'hidden words',
      note: 'One\nTwo',
    })
  })

  test('TABLE-069..TABLE-075 TABLE-081 what is chosen: one of a few, one of many, several, yes or no', async ({
    page,
  }) => {
    await open(page)
    await fillRequired(page)
    // The short key has picked while the closed select had the focus.
    await expect(page.getByRole('combobox', { name: 'Unit' })).toHaveText('Pound')
    const api = callsOf(page.request, await managementSession(page.request))
    for (const [name, path, scope] of [
      ['Pass Codes', 'PASS', 'REQ'],
      ['Test Pass Codes', 'PASS', 'TEST'],
      ['Test Fail Codes', 'FAIL', 'TEST'],
    ] as const) {
      const reasons: { passCode?: string; failCode?: string; scope: string }[] = await api.get(`reasons/${path}`)
      const codes = reasons
        .filter((reason) => reason.scope === scope || reason.scope === 'BOTH')
        .map(({ passCode, failCode }) => passCode ?? failCode)
      await pickFirst(page, name, 2)
      await expect(page.getByRole('combobox', { name, exact: true })).toHaveText(codes.slice(0, 2).join(', '))
    }
    const icd = page.getByRole('combobox', { name: 'ICD Code' })
    await icd.focus()
    const searched = page.waitForRequest(
      (request) => request.url().includes('/icds?') && request.url().includes('E11.9'),
    )
    await page.keyboard.type('E11.9')
    await searched
    await page
      .getByRole('option', { name: /^E11\.9 / })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await expect(icd).toHaveValue(/^E11\.9 /)
    const two = [expect.any(Number), expect.any(Number)]
    expect(await savedBy(page)).toMatchObject({
      unit: 'LB',
      gender: 'FEMALE',
      countryId: expect.any(Number),
      icdId: expect.any(Number),
      reqPass: two,
      testPass: two,
      testFail: two,
      depts: [expect.any(Number)],
      isFasting: 0,
    })
    await page.getByRole('checkbox', { name: 'Fasting' }).press('Space')
    await page.getByRole('textbox', { name: 'Hours fasted' }).fill('12')
    await page.getByLabel('Text *').first().press('Enter')
    await expect.poll(async () => JSON.parse(await page.getByTestId('saved').innerText()).isFasting).toBe(1)
  })

  test('TABLE-061 TABLE-082..TABLE-084 days, ranges of days and times are typed; times are offered by the quarter', async ({
    page,
  }) => {
    await open(page)
    await fillRequired(page)
    const birth = page.getByRole('textbox', { name: 'Date of Birth' })
    await birth.fill('')
    await birth.focus()
    await page.keyboard.type('01021960')
    await expect(birth).toHaveValue('01/02/1960')
    await page.getByRole('textbox', { name: 'Date Collected' }).fill('11/08/2026-11/14/2026')
    const time = page.getByRole('combobox', { name: 'Time' })
    await time.focus()
    await page.keyboard.type('9')
    await expect(page.getByRole('option')).toHaveText(['09:00', '09:15', '09:30', '09:45'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(time).toHaveValue('09:15')
    await time.fill('1642')
    await tab(page)
    await expect(time).toHaveValue('16:42')
    expect(await savedBy(page)).toMatchObject({
      birth: '1960-01-02',
      range: '[11/08/2026-11/14/2026]',
      time: '16:42',
    })
  })

  test('TABLE-066 TABLE-067 the states are those of the country, and another country clears the state', async ({
    page,
  }) => {
    await open(page)
    await fillRequired(page)
    const country = page.getByRole('combobox', { name: 'Country' })
    const state = page.getByRole('combobox', { name: 'State' })
    await state.click()
    await expect(page.getByRole('option', { name: 'Ontario' })).toHaveCount(0)
    await page.getByRole('option', { name: 'Oregon' }).click()
    await expect(state).toHaveText('Oregon')
    await country.click()
    await page.getByRole('option', { name: 'Canada' }).click()
    await expect(state).not.toHaveText('Oregon')
    await state.click()
    await expect(page.getByRole('option', { name: 'Ontario' })).toBeVisible()
    await expect(page.getByRole('option', { name: 'Oregon' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    expect((await savedBy(page)).stateId).toBeNull()
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

  test('TABLE-058..TABLE-060 TABLE-064 a birth date is refused when it does not exist, and picked by its year from 100 years ago up to today', async ({
    page,
    expectAccessible,
  }) => {
    // In the middle of a month and of a year, so that there are days on both sides of both ends.
    await page.clock.setFixedTime(new Date('2026-06-15T16:00:00Z'))
    await open(page)
    const input = page.getByRole('textbox', { name: 'Date of Birth' })
    await input.fill('02/30/1960')
    await save(page).click()
    await expect(input).toHaveAccessibleDescription('Invalid date')
    await input.fill('')
    const choose = page.getByRole('button', { name: 'Choose Date of Birth' })
    const day = (name: string) => page.getByRole('gridcell', { name, exact: true })
    const openYear = async (year: string) => {
      await choose.click()
      await page.getByRole('radio', { name: year }).click()
    }
    await choose.click()
    const years = page.getByRole('radio', { name: /^\d{4}$/ })
    await expect(years.first()).toHaveText('2026')
    await expect(years.last()).toHaveText('1926')
    await expectAccessible(page)
    await page.getByRole('radio', { name: '1960' }).click()
    await day('15').click()
    await expect(input).toHaveValue(/^\d\d\/15\/1960$/)

    await input.fill('')
    await openYear('2026')
    await expect(day('15')).toBeEnabled()
    await expect(day('16')).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Next month' })).toBeDisabled()
    await day('15').click()
    await expect(input).toHaveValue('06/15/2026')

    await input.fill('')
    await openYear('1926')
    await expect(day('15')).toBeEnabled()
    await expect(day('14')).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Previous month' })).toBeDisabled()
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

test('TABLE-058..TABLE-060 the filter by date of birth offers the last 100 years up to today', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'staff', '/requisitions')
  await page.getByRole('button', { name: 'Choose Patient DOB' }).click()
  const years = page.getByRole('radio', { name: /^\d{4}$/ })
  const now = new Date().getFullYear()
  await expect(years.first()).toHaveText(String(now))
  await expect(years.last()).toHaveText(String(now - 100))
  await years.first().click()
  await expect(page.getByRole('button', { name: 'Previous month' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Next month' })).toBeDisabled()
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
