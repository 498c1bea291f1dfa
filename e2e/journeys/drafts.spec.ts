import type { Page } from '@playwright/test'
import { create, fillOrder, fillPatient, shown } from '../support/order-form.ts'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { box, callsOf, clientWithZone, text, unique } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

/** Drafts belong to a user: each journey has its own. */
const openCreate = async (page: Page) => {
  const person = await newPerson(page.request)
  const session = await sessionOf(page.request, person.userName, person.password)
  page.on('dialog', (dialog) => dialog.accept())
  await openAs(page, session, '/requisitions/create')
  await expect(box(page, 'Collaborator')).not.toHaveValue('')
  return callsOf(page.request, session)
}
const isKept = (page: Page, words: string) =>
  page.waitForResponse(
    (reply) =>
      reply.url().includes('/drafts/requisition/new/') &&
      reply.request().method() === 'PUT' &&
      (reply.request().postData() ?? '').includes(words) &&
      reply.ok(),
  )
const typeName = async (page: Page, first: string, last: string) => {
  const kept = isKept(page, `"patientLastName":"${last}"`)
  await text(page, 'First Name').fill(first)
  await text(page, 'Last Name').fill(last)
  await kept
}
const typeBob = async (page: Page) => {
  await typeName(page, 'Bob', 'Newer')
  const kept = isKept(page, 'BOB-1')
  for (const [part, value] of Object.entries({ Month: '5', Day: '5', Year: '1985' }))
    await text(page, `DOB ${part}`).fill(value)
  await box(page, 'Gender').click()
  await page.getByRole('option', { name: 'Male', exact: true }).click()
  await text(page, 'External Order ID').fill('BOB-1')
  await kept
}
const offer = (page: Page, title: string) =>
  page.getByText(new RegExp(`^Not saved: ${title} · started \\d\\d:\\d\\d \\w+$`))

test('PAT-G12 a draft is resumed whole or not at all, and over typed input only after both were shown', async ({
  page,
  expectAccessible,
  look,
}) => {
  await openCreate(page)
  await typeName(page, 'Alice', 'Older')
  await page.reload()
  await expect(offer(page, 'Older, Alice')).toBeVisible()
  await typeBob(page)
  await page.getByRole('button', { name: 'Resume editing Older, Alice' }).click()
  const question = page.getByRole('dialog', { name: 'Resume the draft instead of what you have typed?' })
  await expect(question.getByRole('row', { name: 'First Name' })).toContainText('Bob')
  await expect(question.getByRole('row', { name: 'First Name' })).toContainText('Alice')
  await expect(question.getByRole('row', { name: 'Date of birth' })).toContainText('05/05/1985')
  await expect(question.getByRole('button', { name: 'Keep what I typed' })).toBeFocused()
  await expectAccessible(page)
  await look(page, 'draft-or-typed', deskAndPhone)
  await page.keyboard.press('Enter')
  await expect(text(page, 'First Name')).toHaveValue('Bob')
  await expect(text(page, 'DOB Year')).toHaveValue('1985')

  await page.getByRole('button', { name: 'Resume editing Older, Alice' }).click()
  await question.getByRole('button', { name: 'Resume the draft' }).click()
  await expect(text(page, 'First Name')).toHaveValue('Alice')
  await expect(text(page, 'Last Name')).toHaveValue('Older')
  // Nothing of Bob, and the presets of the page as before.
  for (const name of ['DOB Month', 'DOB Day', 'DOB Year', 'External Order ID'])
    await expect(text(page, name)).toHaveValue('')
  await expect(box(page, 'Gender')).toHaveText(/^\W*$/)
  await expect(box(page, 'Collaborator')).not.toHaveValue('')

  // And back: both are still there.
  await page.getByRole('button', { name: 'Resume editing Newer, Bob' }).click()
  await question.getByRole('button', { name: 'Resume the draft' }).click()
  await expect(text(page, 'Last Name')).toHaveValue('Newer')
  await expect(text(page, 'External Order ID')).toHaveValue('BOB-1')
  await expect(box(page, 'Gender')).toHaveText('Male')
})

test('PAT-G12 a scan that was chosen with other input does not stay when a draft is resumed', async ({ page }) => {
  await openCreate(page)
  await typeName(page, 'Alice', 'Older')
  await page.reload()
  await expect(offer(page, 'Older, Alice')).toBeVisible()
  await typeName(page, 'Carl', 'Scanned')
  const scan = { name: 'carl.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') }
  await page.locator('input[type=file]').setInputFiles(scan)
  const file = page.getByText('carl.pdf', { exact: true })
  await expect(file).toBeVisible()
  await page.getByRole('button', { name: 'Resume editing Older, Alice' }).click()
  const question = page.getByRole('dialog', { name: 'Resume the draft instead of what you have typed?' })
  await expect(question).toContainText('carl.pdf is not: please add it again there.')
  await question.getByRole('button', { name: 'Keep what I typed' }).click()
  await expect(file).toBeVisible()
  await page.getByRole('button', { name: 'Resume editing Older, Alice' }).click()
  await question.getByRole('button', { name: 'Resume the draft' }).click()
  await expect(text(page, 'Last Name')).toHaveValue('Older')
  await expect(file).toBeHidden()
})

test('PAT-G12 what was typed last is kept as a draft when the page is left at once', async ({ page }) => {
  await openCreate(page)
  await text(page, 'First Name').fill('Bob')
  await text(page, 'Last Name').fill('Newest')
  await page.reload()
  await expect(offer(page, 'Newest, Bob')).toBeVisible()
})

test('PAT-G12 drafts exist side by side: none is lost to another tab, to a reload or to an order that is created beside it', async ({
  page,
  context,
}) => {
  const api = await openCreate(page)
  await typeName(page, 'Alice', 'Older')
  await page.reload()
  await expect(offer(page, 'Older, Alice')).toBeVisible()
  // While the first draft waits, what is typed is saved too.
  await typeName(page, 'Bob', 'Newer')
  const second = await context.newPage()
  second.on('dialog', (dialog) => dialog.accept())
  await second.goto('/requisitions/create')
  await expect(offer(second, 'Older, Alice')).toBeVisible()
  await expect(offer(second, 'Newer, Bob')).toBeVisible()
  await typeName(second, 'Carol', 'Latest')
  await second.close()
  await page.reload()
  // More than two are folded, so that the form stays in view.
  await expect(page.getByText('Not saved: 3 drafts')).toBeVisible()
  await expect(offer(page, 'Older, Alice')).toBeHidden()
  await page.getByRole('button', { name: 'Show drafts' }).click()
  for (const title of ['Older, Alice', 'Newer, Bob', 'Latest, Carol']) await expect(offer(page, title)).toBeVisible()

  // An order is created while they exist: only its own draft is removed.
  const lastNames = async () =>
    (await api.get('drafts/requisition/new'))
      .map(({ body }: { body: { patientLastName?: string } }) => body.patientLastName)
      .sort()
  await fillOrder(page, (await clientWithZone(api)).clientName)
  await fillPatient(page, unique('Created'), 'Dora')
  await create(page)
  await expect(page).toHaveURL(shown)
  await expect.poll(lastNames).toEqual(['Latest', 'Newer', 'Older'])
  await page.goto('/requisitions/create')
  await page.getByRole('button', { name: 'Show drafts' }).click()
  await page.getByRole('button', { name: 'Discard Newer, Bob' }).click()
  await expect(offer(page, 'Newer, Bob')).toBeHidden()
  await expect.poll(lastNames).toEqual(['Latest', 'Older'])
})
