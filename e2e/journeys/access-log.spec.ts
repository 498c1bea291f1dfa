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
  await expect(page.getByRole('link', { name: 'Who has seen this patient?' })).toBeVisible()
  // After what the page itself has read, so that it is among the latest.
  await page.waitForLoadState('networkidle')
  expect((await page.request.get(`/api/v3.0/requisitions/${id}/specimens`, { headers: bearer(staff) })).status()).toBe(
    200,
  )
  await page.waitForTimeout(1000)
  await page.getByRole('link', { name: 'Who has seen this patient?' }).click()
  await expect(page.getByRole('heading', { name: 'Who has seen this patient?' })).toBeVisible()
  await expect(page.getByRole('columnheader')).toHaveText(['Date', 'User', 'Role', 'Call', 'Requisitions'])
  const row = page.locator('tbody tr.row').filter({ hasText: 'requisitions/{id}/specimens' }).filter({ hasText: 'STF' })
  await expect(row.first()).toContainText(String(id))
  await look(page, 'patient-access-log', [1440, 1024, 390])

  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Export/ }).click()
  expect((await file).suggestedFilename()).toMatch(/^access-log-patient-\d+-.*\.xlsx$/)
})
