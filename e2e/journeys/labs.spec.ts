import { sessionOf } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test.beforeEach(async ({ page, request }) => {
  const session = JSON.stringify(await sessionOf(request, 'management'))
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
})

test('the record of a laboratory is corrected, and a wrong CLIA number is named at its field', async ({
  page,
  look,
}) => {
  await page.goto('/labs')
  await page.getByRole('link', { name: 'Open Great Lakes Clinical Laboratory' }).click()
  await expect(page.getByText('33D2098812')).toBeVisible()
  await look(page, 'laboratory')
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('CLIA Number').fill('33D20988')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('CLIA Number must be two digits, D and seven digits')).toBeVisible()
  await page.getByLabel('CLIA Number').fill('33D2098812')
  await page.getByLabel('Address 2').fill('Suite 12')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page).toHaveURL(/\/labs\/\d+\/show/)
  await expect(page.getByText('Suite 12')).toBeVisible()
  // SOUT-12: what the record said before today.
  await page.getByRole('textbox', { name: 'As of' }).fill('01/31/2026')
  await expect(page.getByText('The record as it was at the end of 01/31/2026.')).toBeVisible()
  await expect(page.getByText('Suite 12')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Edit' })).toHaveCount(0)
  await look(page, 'laboratory-as-of')
})

test('an accreditation is added and removed, and a signer is added and ended', async ({ page, look }) => {
  await page.goto('/labs')
  await page.getByRole('link', { name: 'Open Saguaro Clinical Laboratory' }).click()
  await page.getByRole('button', { name: 'Add accreditation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Accrediting Body').fill('COLA')
  await dialog.getByLabel('Number').fill('4411')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Remove COLA 4411' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', { name: 'Remove COLA 4411' })).toHaveCount(0)

  await page.getByRole('button', { name: 'Add signer' }).click()
  await dialog.getByLabel('User').click()
  await page.getByRole('option').first().click()
  await dialog.getByLabel('Qualifications').fill('MD, FCAP')
  await dialog.getByLabel('Identity checked by').fill('Human resources')
  await dialog.getByRole('textbox', { name: 'Valid From' }).fill('01/01/2026')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('cell', { name: 'MD, FCAP' })).toBeVisible()
  await look(page, 'signers')
  await page.getByRole('button', { name: /^End / }).click()
  await dialog.getByRole('textbox', { name: 'Valid To' }).fill('12/31/2026')
  await dialog.getByRole('button', { name: 'End' }).click()
  await expect(page.getByRole('cell', { name: '12/31/2026' })).toBeVisible()
})

test("an inspector's pack is ordered for a period and downloaded; a period that ends before it begins is refused", async ({
  page,
  look,
}) => {
  await page.goto('/labs')
  await page.getByRole('link', { name: 'Open Great Lakes Clinical Laboratory' }).click()
  await page.getByRole('button', { name: 'Make pack' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Date From' }).fill('12/31/2026')
  await dialog.getByRole('textbox', { name: 'Date To' }).fill('01/01/2026')
  await dialog.getByRole('button', { name: 'Make', exact: true }).click()
  await expect(dialog.getByText('Date From cannot be after Date To')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Date From' }).fill('01/01/2026')
  await dialog.getByRole('textbox', { name: 'Date To' }).fill('12/31/2026')
  await dialog.getByRole('button', { name: 'Make', exact: true }).click()
  const download = page.getByRole('button', { name: 'Download pack' })
  await expect(download).toBeVisible({ timeout: 120_000 })
  await look(page, 'inspectors-pack')
  const [answer] = await Promise.all([page.waitForResponse(/report_files\//), download.click()])
  expect(answer.status()).toBe(200)
})
