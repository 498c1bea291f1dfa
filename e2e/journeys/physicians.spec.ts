import type { Page } from '@playwright/test'
import { go } from '../support/go.ts'
import { openAs, sessionOf } from '../support/people.ts'
import { currentSession } from '../support/stored-session.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

const rows = (page: Page) => page.locator('tbody tr.row')
const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true }).first()
const choose = async (page: Page, label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label }).click()
  await page
    .getByRole('option', { name: option, exact: typeof option === 'string' })
    .first()
    .click()
}

let serial = 0
/** A number of our own, with its check digit. */
const anNpi = () => {
  const nine = `1${String(Date.now()).slice(-6)}${String(process.pid + serial++)
    .padStart(2, '0')
    .slice(-2)}`
  const sum = [...`80840${nine}`].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${nine}${(10 - (sum % 10)) % 10}`
}
const uniqueName = (start: string) => `${start}${Date.now().toString(36)}${serial++}`

const created = async (page: Page, path: string, data: object): Promise<number> => {
  const { token } = await currentSession(page)
  const reply = await page.request.post(`/api/v3.0/${path}`, { headers: { authorization: `Bearer ${token}` }, data })
  expect(reply.status()).toBe(200)
  return (await reply.json()).data.id
}
/** A physician of our own, so that no other journey misses one. */
const aPhysician = (page: Page, over: object = {}) =>
  created(page, 'physicians', {
    physFirstName: 'Paula',
    physLastName: uniqueName('Weber'),
    physTitle: 'MD',
    npiNumber: anNpi(),
    ...over,
  })

const fillGeneral = async (page: Page, lastName: string, npi: string) => {
  await page.getByLabel('First Name').fill('Ann')
  await page.getByLabel('Last Name').fill(lastName)
  await choose(page, 'Title', 'FNP-BC')
  await page.getByLabel('NPI#').fill(npi)
}
const searchClients = async (page: Page, text: string) => {
  await page.getByLabel('Search Clients').fill(text)
  await expect(page.getByRole('table', { name: 'Clients' }).last().locator('tbody tr.row')).toHaveCount(1)
}

// These journeys begin after the sign-in.
let session = ''
test.beforeEach(async ({ request }) => {
  session = JSON.stringify(await sessionOf(request, 'staff'))
})
const asStaff = async (page: Page, path = '/') => {
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  await page.goto(path)
}

test('PHY-02 the list is opened from the menu, filtered by each of the five fields, exported, and leads to the wizard', async ({
  page,
}) => {
  await asStaff(page)
  const name = uniqueName('Filter')
  const npi = anNpi()
  await aPhysician(page, {
    physFirstName: name,
    physLastName: name,
    npiNumber: npi,
    ptanNumber: 'PT77',
    clientIds: [1],
  })
  await page.getByRole('link', { name: 'Physicians' }).click()
  await expect(page).toHaveURL('/physicians')
  await test.step('PHY-10..PHY-15 the columns are those of the specification', async () => {
    await expect(page.getByRole('columnheader')).toHaveText([
      '',
      'ID',
      'First Name',
      'Last Name',
      'Title',
      'NPI Number',
      'PTAN#',
    ])
  })
  const panel = page.getByRole('complementary', { name: 'View & Filters' })
  const active = page.getByRole('list', { name: 'Active filters' })
  for (const [id, label, value] of [
    ['PHY-03', 'First Name', name],
    ['PHY-04', 'Last Name', name],
    ['PHY-05', 'NPI#', npi],
  ] as const) {
    await panel.getByLabel(label, { exact: true }).fill(value)
    await panel.getByRole('button', { name: 'Filter', exact: true }).click()
    await expect(active).toContainText(`${label}:`)
    await test.step(`${id} ${label} finds the one`, () => expect(rows(page)).toHaveCount(1))
    await expect(rows(page)).toContainText(npi)
    await expect(rows(page)).toContainText('PT77')
    await panel.getByRole('button', { name: 'Clear', exact: true }).click()
    await expect(active).toBeHidden()
  }
  // Together with the name, because demo physicians order for the same client.
  for (const [id, label, value] of [
    ['PHY-06', 'Client Name', 'Desert Ridge'],
    ['PHY-07', 'Client ID', 'C1001'],
  ] as const) {
    await panel.getByLabel('Last Name', { exact: true }).fill(name)
    await panel.getByLabel(label, { exact: true }).fill(value)
    await panel.getByRole('button', { name: 'Filter', exact: true }).click()
    await expect(active).toContainText(`${label}:`)
    await test.step(`${id} ${label} finds the one`, () => expect(rows(page)).toHaveCount(1))
    await panel.getByRole('button', { name: 'Clear', exact: true }).click()
    await expect(active).toBeHidden()
  }
  await test.step('PHY-09 Export All gives a file', async () => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export All' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.xlsx$/)
  })
  await test.step('PHY-08 the create button leads to the wizard', async () => {
    await page.getByRole('link', { name: 'Create' }).click()
    await expect(page).toHaveURL('/physicians/create')
  })
})

test('PHY-01 a physician goes through the wizard, is shown, changed and deleted; a doubtful or double number is asked about', async ({
  page,
}) => {
  await asStaff(page, '/healthz')
  const lastName = uniqueName('Okoro')
  const taken = anNpi()
  await aPhysician(page, { physLastName: `${lastName}-first`, npiNumber: taken })
  await page.goto('/physicians/create')
  const steps = page.getByRole('list', { name: 'Steps' })
  await test.step('PHY-16 PHY-17 PHY-18 PHY-19 the wizard has three steps', async () => {
    await expect(steps.getByRole('listitem')).toHaveText([
      /General Information/,
      /Associated clients/,
      /Confirm and Finish/,
    ])
  })
  const current = steps.locator('[aria-current="step"]')
  await next(page).click()
  for (const [id, name] of [
    ['PHY-78', 'First Name'],
    ['PHY-79', 'Last Name'],
    ['PHY-80', 'Title'],
    ['PHY-81', 'NPI#'],
  ] as const)
    await test.step(`${id} an empty ${name} is named`, () =>
      expect(page.getByText(`${name} is required`, { exact: true })).toBeVisible())
  await test.step('PHY-22 a first step that is not valid is not left', async () => {
    await expect(current).toContainText('General Information')
  })
  await fillGeneral(page, lastName, '1234567890')
  // A number with a wrong check digit is flagged, and accepted.
  await expect(page.getByText('The check digit of the NPI# is wrong.')).toBeVisible()
  await test.step('PHY-21 Next leads to the clients', async () => {
    await next(page).click()
    await expect(current).toContainText('Associated clients')
  })
  await searchClients(page, 'C1002')
  await page.getByRole('checkbox', { name: /C1002/ }).check()
  await page.getByLabel('Search Clients').fill('C1003')
  await page.getByRole('checkbox', { name: /C1003/ }).check()
  const chosen = page.getByRole('list', { name: 'Chosen clients' })
  await expect(chosen.getByRole('listitem')).toHaveCount(2)
  await chosen.getByRole('button', { name: /C1003/ }).click()
  await expect(chosen.getByRole('listitem')).toHaveCount(1)
  await test.step('PHY-23 from the clients Next leads on to the summary', async () => {
    await next(page).click()
    await expect(current).toContainText('Confirm and Finish')
  })
  const summary = page.getByRole('region', { name: 'Confirm and Finish' })
  for (const text of [lastName, 'FNP-BC', '1234567890', 'C1002', 'The check digit of the NPI# is wrong.'])
    await expect(summary).toContainText(text)
  // All the way back: what was typed and chosen is still there.
  const back = page.getByRole('button', { name: 'Back', exact: true }).first()
  await test.step('PHY-20 Back leads back, and what was typed is still there', async () => {
    await back.click()
    await expect(chosen).toContainText('C1002')
    await back.click()
    await expect(page.getByLabel('Last Name')).toHaveValue(lastName)
  })
  await page.getByLabel('NPI#').fill(taken)
  await next(page).click()
  await next(page).click()
  await page.getByRole('button', { name: 'Finish' }).first().click()
  const question = page.getByRole('dialog', { name: 'Please check before saving' })
  await expect(question).toContainText('A physician with the same NPI# already exists.')
  await expect(question).toContainText(`${lastName}-first`)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(summary).toContainText(taken)
  await page.getByRole('button', { name: 'Finish' }).first().click()
  await test.step('PHY-24 PHY-28 the last step saves and shows the physician', async () => {
    await question.getByRole('button', { name: 'Save anyway' }).click()
    await expect(page).toHaveURL(/\/physicians\/\d+\/show$/)
    await expect(page.getByRole('heading', { name: `Ann ${lastName}`, level: 1 })).toBeVisible()
  })
  const general = page.getByRole('region', { name: 'General Information' })
  await test.step('PHY-29 PHY-30 PHY-31 PHY-32 PHY-33 the page shows title, NPI, PTAN, portal preferences and clients', async () => {
    for (const text of ['FNP-BC', taken]) await expect(general).toContainText(text)
    await expect(general.getByText('PTAN#')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Portal Preferences' })).toBeVisible()
    await expect(page.getByRole('table', { name: 'Clients' })).toContainText('C1002')
  })
  await test.step('PHY-38 PHY-39 PHY-41 it is changed on its edit page, or not, by Cancel', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('PTAN#').fill('PT-4711')
    await page.getByRole('button', { name: 'Cancel' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await expect(general).not.toContainText('PT-4711')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByLabel('PTAN#').fill('PT-4712')
    await page.getByRole('button', { name: 'Update Physician' }).first().click()
    await expect(general).toContainText('PT-4712')
  })
  await test.step('PHY-40 it is deleted from its edit page', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(page).toHaveURL('/physicians')
    await expect(page.getByText('Successfully deleted')).toBeVisible()
    // One with requisitions stays.
  })
  await page.goto('/physicians/1')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText(
    /cannot be deleted: still used by \d+ requisition/,
  )
})

test('PHY-25..PHY-27 PHY-G10 on the way from a client the wizard leads back to it', async ({ page }) => {
  await asStaff(page, '/physicians/create?relatedClient=2')
  await page.getByRole('button', { name: 'Back', exact: true }).first().click()
  await expect(page).toHaveURL('/clients/2/show')
  await page.goto('/physicians/create?relatedClient=2')
  const lastName = uniqueName('Related')
  await fillGeneral(page, lastName, anNpi())
  await next(page).click()
  await expect(page.getByRole('list', { name: 'Chosen clients' })).toContainText('C1002')
  await next(page).click()
  await page.getByRole('button', { name: 'Finish' }).first().click()
  await expect(page).toHaveURL('/clients/2/show')
  const { token } = await currentSession(page)
  const stored = await page.request.get(
    `/api/v3.0/physicians?filter=${encodeURIComponent(`[physLastName:${lastName}]`)}`,
    { headers: { authorization: `Bearer ${token}` } },
  )
  expect((await stored.json()).data).toMatchObject([{ physLastName: lastName, clientIds: [2] }])
})

test('PHY-34..PHY-37 PHY-87 PHY-90 clients are added from the list or created in the modal, and taken away', async ({
  page,
}) => {
  await asStaff(page, '/healthz')
  const id = await aPhysician(page)
  await page.goto(`/physicians/${id}/show`)
  const card = page.getByRole('region', { name: 'Clients' })
  await expect(card).toContainText('Empty Table')
  await card.getByRole('button', { name: 'Add client' }).click()
  const modal = page.getByRole('dialog')
  await expect(modal.getByRole('table', { name: 'Clients' })).toBeVisible()
  await searchClients(page, 'C1005')
  await modal.getByRole('checkbox', { name: /C1005/ }).check()
  await modal.getByRole('button', { name: 'Create client' }).click()
  await modal.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(modal.getByText('Name is required', { exact: true })).toBeVisible()
  const name = uniqueName('Practice ')
  await modal.getByLabel('Name', { exact: false }).first().fill(name)
  await choose(page, 'Collaborator', /\w/)
  await modal.getByRole('group', { name: 'Performing Laboratories' }).getByRole('checkbox').first().check()
  await modal.getByLabel('Address 1').fill('1 Main St')
  await modal.getByLabel('City').fill('Boston')
  await choose(page, 'Country', /United States/)
  await choose(page, 'State', /Massachusetts/)
  await modal.getByLabel('Zip').fill('02108')
  await modal.getByLabel('Phone').first().fill('16175550100')
  await choose(page, 'Test Result Delivery Method', 'E-mail')
  await choose(page, 'Bill To', /\w/)
  await modal.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(modal.getByText('Email is required')).toBeVisible()
  await modal.getByLabel('Email', { exact: true }).fill('office@example.com')
  await modal.getByRole('button', { name: 'Create', exact: true }).click()
  // Back in the list, with the new one chosen beside the one from before.
  const chosen = modal.getByRole('list', { name: 'Chosen clients' })
  await expect(chosen.getByRole('listitem')).toHaveCount(2)
  await expect(chosen).toContainText(name)
  await modal.getByRole('button', { name: 'Add 2 clients' }).click()
  await expect(modal).toBeHidden()
  await expect(card.locator('tbody tr.row')).toHaveCount(2)
  await card.getByRole('checkbox', { name: /C1005/ }).check()
  await card.getByRole('button', { name: 'Remove 1 selected' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(card.locator('tbody tr.row')).toHaveCount(1)
  await expect(card).toContainText(name)
})

test('PHY-84 a client user sees its own physicians and nothing to change them with', async ({ page }) => {
  await openAs(page, await sessionOf(page.request, 'client'), '/physicians')
  await expect(rows(page).first()).toBeVisible()
  await expect(page.getByRole('link', { name: 'Create' })).toBeHidden()
  await expect(page.getByRole('checkbox')).toHaveCount(0)
  await rows(page).first().getByRole('link').click()
  await expect(page.getByRole('table', { name: 'Clients' }).locator('tbody tr.row')).toHaveCount(1)
  for (const name of ['Edit', 'Delete', 'Add client']) {
    await expect(page.getByRole('button', { name })).toBeHidden()
    await expect(page.getByRole('link', { name })).toBeHidden()
  }
  await page.goto('/physicians/create')
  await expect(page).toHaveURL('/403')
})

test('axe finds nothing on the pages and modals of physicians', async ({ page, look }) => {
  test.slow()
  await asStaff(page)
  const id = await aPhysician(page, { npiNumber: '1234567890', answers: { SAME_PHYSICIAN: 'SAVE' }, clientIds: [1] })
  const seen = (name: string) => look(page, `physician-${name}`, deskAndPhone)
  await go(page, '/physicians', page.getByText('1–', { exact: false }).first())
  await seen('list')
  const next = page.getByRole('button', { name: 'Next', exact: true }).filter({ visible: true })
  await go(page, '/physicians/create?relatedClient=1', next)
  await fillGeneral(page, 'Axe', '1234567890')
  await seen('general')
  await next.click()
  await expect(page.getByRole('list', { name: 'Chosen clients' })).toBeVisible()
  await seen('clients')
  await next.click()
  await seen('confirm')
  await page.goto(`/physicians/${id}/show`)
  await expect(page.getByText('C1001').first()).toBeVisible()
  await seen('show')
  await page.getByRole('button', { name: 'Add client' }).click()
  await expect(page.getByRole('dialog').getByText('C1001')).toBeVisible()
  await seen('add')
  await page.getByRole('button', { name: 'Create client' }).click()
  await expect(page.getByRole('dialog').getByLabel('Zip')).toBeVisible()
  await seen('create-client')
})

test('PAT-G12 a draft brings back what was typed and nothing else, and what somebody else has stored since is shown', async ({
  page,
}) => {
  await asStaff(page)
  const lastName = uniqueName('Weber')
  const id = await aPhysician(page, { physLastName: lastName })
  const { token } = await currentSession(page)
  const headers = { authorization: `Bearer ${token}` }
  const stored = async () => (await (await page.request.get(`/api/v3.0/physicians/${id}`, { headers })).json()).data
  await page.goto(`/physicians/${id}`)
  const kept = page.waitForResponse(
    (reply) => reply.url().includes(`/drafts/physician/${id}`) && reply.request().method() === 'PUT',
  )
  await page.getByLabel('First Name').fill('Pauline')
  expect((await kept).request().postDataJSON().body).toEqual({ physFirstName: 'Pauline' })
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto('/')

  const { physFirstName, physTitle, npiNumber, ptanNumber } = await stored()
  const theirs = { physFirstName, physLastName: `${lastName}-Hill`, physTitle, npiNumber, ptanNumber }
  const reply = await page.request.put(`/api/v3.0/physicians/${id}`, { headers, data: theirs })
  expect(reply.status()).toBe(200)

  await page.goto(`/physicians/${id}`)
  await page.getByRole('button', { name: 'Resume editing' }).click()
  await expect(page.getByLabel('First Name')).toHaveValue('Pauline')
  await expect(page.getByLabel('Last Name')).toHaveValue(`${lastName}-Hill`)
  await page.getByRole('button', { name: 'Update Physician' }).first().click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  await expect(conflict.getByRole('radio', { name: 'First Name, yours' })).toBeChecked()
  await expect(conflict.getByRole('row')).toHaveCount(2)
  await conflict.getByRole('button', { name: 'Save again' }).click()
  await expect(page).toHaveURL(`/physicians/${id}/show`)
  expect(await stored()).toMatchObject({ physFirstName: 'Pauline', physLastName: `${lastName}-Hill` })
})
