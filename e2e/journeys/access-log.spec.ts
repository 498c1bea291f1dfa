import { bearer, openAs, sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test('an administrator sees who has opened the record of a patient, and takes the list away as a file', async ({
  page,
  look,
}) => {
  const staff = await sessionOf(page.request, 'staff')
  const list = await page.request.get('/api/v3.0/requisitions/ALL?perPage=1', { headers: bearer(staff) })
  const { id } = (await list.json()).data[0] as { id: number }

  await openAs(page, await sessionOf(page.request, 'admin'), `/requisitions/${id}/show`)
  await page.getByRole('link', { name: 'Who has seen this patient?' }).click()
  await expect(page.getByRole('heading', { name: 'Who has seen this patient?' })).toBeVisible()
  await expect(page.getByRole('columnheader')).toHaveText(['Date', 'User', 'Role', 'Call', 'Requisitions'])
  const row = page.locator('tbody tr.row').filter({ hasText: 'requisitions/{id}/specimens' }).filter({ hasText: 'STF' })
  const specimens = `/api/v3.0/requisitions/${id}/specimens`
  expect((await page.request.get(specimens, { headers: bearer(staff) })).status()).toBe(200)
  await expect(async () => {
    await page.reload()
    await expect(row.first()).toContainText(String(id), { timeout: 15_000 })
  }).toPass()
  await look(page, 'patient-access-log', [1440, 1024, 390])

  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Export/ }).click()
  expect((await file).suggestedFilename()).toMatch(/^access-log-patient-\d+-.*\.xlsx$/)
})
