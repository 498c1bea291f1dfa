import type { Page } from '@playwright/test'
import { bearer, openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>

/** A sales person of our own, so that no other journey misses one. */
const aSalesPerson = async (page: Page, session: Session, lastName: string, salesRepCode?: string): Promise<number> => {
  const reply = await page.request.post('/api/v3.0/sales', {
    headers: bearer(session),
    data: {
      salesFirstName: 'Dora',
      salesLastName: lastName,
      salesEmail: 'dora@example.com',
      salesTitle: 'Manager',
      salesTypeCode: 'SLS',
      salesRepCode,
    },
  })
  expect(reply.status()).toBe(200)
  return (await reply.json()).data.id
}
const remove = async (page: Page, session: Session, path: string) =>
  expect((await page.request.delete(`/api/v3.0/${path}`, { headers: bearer(session) })).status()).toBe(200)
const rowOf = (page: Page, text: string) => page.locator('tbody tr.row').filter({ hasText: text })
const dialog = (page: Page) => page.getByRole('dialog')

test('an administrator deletes a sales person by mistake, finds it among the deleted and brings it back', async ({
  page,
  look,
}) => {
  const session = await sessionOf(page.request, 'admin')
  const lastName = `Mistaken${Date.now()}`
  const id = await aSalesPerson(page, session, lastName)
  await openAs(page, session, '/sales')
  // A user who opened the page before also finds newer deletions.
  await page.getByRole('link', { name: 'Deleted' }).click()
  await expect(page.getByRole('listitem', { name: 'Kind: Sales Person' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Deleted Records' })).toHaveAttribute('aria-busy', 'false')
  await page.goBack()
  await page.getByRole('searchbox', { name: 'Search Sales' }).fill(lastName)
  await rowOf(page, lastName).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Empty Table')).toBeVisible()

  await page.getByRole('link', { name: 'Deleted' }).click()
  await expect(page.getByRole('heading', { name: 'Deleted Records' })).toBeVisible()
  await expect(page.getByRole('listitem', { name: 'Kind: Sales Person' })).toBeVisible()
  await expect(page.getByRole('columnheader')).toHaveText(['Kind', 'Record', 'Deleted', 'Deleted By', 'Action'])
  const row = rowOf(page, lastName)
  await expect(row).toContainText(`Dora ${lastName}`)
  await look(page, 'deleted-records', [1440, 1024, 390])

  const restore = row.getByRole('button', { name: /^Restore Sales Person Dora/ })
  await restore.click()
  await expect(dialog(page)).toContainText('Restore this sales person?')
  await expect(dialog(page)).toContainText(`Dora ${lastName}`)
  await look(page, 'deleted-records-question')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(row).toBeVisible()
  await restore.click()
  await dialog(page).getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('Successfully restored')).toBeVisible()
  await expect(row).toBeHidden()
  await page.goto(`/sales/${id}/show`)
  await expect(page.getByRole('heading', { name: `Dora ${lastName}` })).toBeVisible()
})

test('what prevents restoring is shown under the question, which stays; on a phone too', async ({ page, look }) => {
  const session = await sessionOf(page.request, 'admin')
  const code = `TW${Date.now()}`
  const lastName = `Former${code}`
  await remove(page, session, `sales/${await aSalesPerson(page, session, lastName, code)}`)
  const newer = await aSalesPerson(page, session, 'Newer', code)
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, session, '/sales')
  await page.getByRole('link', { name: 'Deleted' }).click()
  await page.getByRole('searchbox', { name: 'Search Deleted' }).fill(lastName)
  const card = page.getByRole('listitem').filter({ hasText: `Dora ${lastName}` })
  await expect(card).toContainText('Deleted By')
  await card.getByRole('button', { name: /^Restore/ }).click()
  await dialog(page).getByRole('button', { name: 'Restore' }).click()
  await expect(dialog(page).getByRole('alert')).toHaveText(`The Sales Rep Code ${code} now belongs to Dora Newer`)
  await look(page, 'deleted-records-refused')
  await remove(page, session, `sales/${newer}`)
  await dialog(page).getByRole('button', { name: 'Restore' }).click()
  await expect(dialog(page)).toBeHidden()
  await expect(card).toBeHidden()
})

test('who may not restore finds no way there', async ({ page, signIn }) => {
  await signIn(page, 'staff', '/clients')
  await expect(page.getByRole('link', { name: 'Create' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Deleted' })).toBeHidden()
  await page.goto('/deleted')
  await expect(page.getByText('403: Forbidden')).toBeVisible()
})
