import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/test.ts'

// To be looked at, beside the design pictures. Not committed.
const screens = join(import.meta.dirname, '../../test-results/screens')

const choose = async (page: Page, label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).first().click()
}
/** A requisition of the demo in a stage, by its number. */
const requisitionIn = async (page: Page, status: string) => {
  await page.goto(`/requisitions?status=${status}`)
  const cell = page.getByRole('table').locator('tbody tr').first().locator('td:not(.ctl)').first()
  await expect(cell).toHaveText(/\d{7}/)
  return ((await cell.textContent()) ?? '').match(/\d+/)?.[0] ?? ''
}

test('BLG-001..BLG-005 BLG-007 BLG-016..BLG-018 BLG-045..BLG-048 BLG-059..BLG-062 BLG-068 BLG-078..BLG-085 a super admin mends the billing tab', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  test.setTimeout(120_000)
  await signIn(page, 'staff')
  const id = await requisitionIn(page, 'Delivered')
  await page.goto(`/requisitions/${id}/show/billing`)
  for (const name of [
    'Patient Information',
    'Guarantor Information',
    'Insurance Information',
    'ICD Codes',
    'Billing Notes',
    'Downloads/Uploads',
  ])
    await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()

  const guarantor = page.getByRole('region', { name: 'Guarantor Information' })
  await guarantor.getByRole('button', { name: 'Edit' }).click()
  await choose(page, 'Relationship', 'Spouse')
  await page.getByLabel('First Name').fill('Gail')
  await guarantor.getByRole('button', { name: 'Save' }).first().click()
  await expect(guarantor.getByText('Last Name is required')).toBeVisible()
  await page.getByLabel('Last Name').fill('Guarantor')
  await page.getByRole('textbox', { name: 'Date of Birth' }).fill('02/03/1971')
  await choose(page, 'Gender', 'Female')
  await page.getByLabel('Address 1').fill('9 Oak St')
  await page.getByLabel('City').fill('Boston')
  await page.getByLabel('ZIP').fill('02101')
  await page.getByRole('combobox', { name: 'State' }).fill('Massach')
  await page.getByRole('option', { name: 'Massachusetts' }).first().click()
  await guarantor.getByRole('button', { name: 'Save' }).first().click()
  await expect(guarantor.getByText('Gail')).toBeVisible()

  await page.getByRole('button', { name: 'Previous Insurances' }).click()
  await page.getByRole('button', { name: 'Use insurance' }).click()
  await expect(page.getByRole('dialog').getByText('Please select insurance')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Add ICD' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add ICD' })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('Select ICD is required')).toBeVisible()
  await dialog.getByLabel('Custom ICD').check()
  await dialog.getByLabel('ICD Description').fill('Typed here')
  for (const [code, message] of [
    ['1A', 'ICD Code should not start with number'],
    ['A01-', 'No special symbols are allowed at the end of the ICD Code name'],
    ['E850', 'ICD Codes E800-E999 not available'],
  ] as const) {
    await dialog.getByLabel('ICD Code').fill(code)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByText(message)).toBeVisible()
  }
  await dialog.getByLabel('ICD Code').fill(`q${id}`)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('table', { name: 'ICD Codes' }).getByText(`Q${id}`)).toBeVisible()
  await expectAccessible(page)
  await page.screenshot({ path: join(screens, 'billing-tab.png'), fullPage: true })
})

test('BLG-095..BLG-098 BLG-109..BLG-119 a payment is added, counted in the balance and deleted', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  test.setTimeout(90_000)
  await signIn(page, 'staff')
  const id = await requisitionIn(page, 'Billing')
  await page.goto(`/requisitions/${id}/show/payments`)
  const form = page.getByRole('region', { name: 'Add Payment' })
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
  await expect(form.getByText('Check/Confirmation Number is required')).toBeVisible()
  await choose(page, 'Payment Type', 'Check')
  await choose(page, 'Payer Type', 'Patient')
  await form.getByLabel('Paid By').fill('Journey Payer')
  await form.getByLabel('Amount').fill('0.001')
  await form.getByLabel('Check/Confirmation Number').fill(`J${id}`)
  await form.getByLabel('Payment Month').fill('11')
  await form.getByLabel('Payment Day').fill('5')
  await form.getByLabel('Payment Year').fill('2025')
  await form.getByLabel('Note').fill('By journey')
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
  await expect(form.getByText('Amount may have at most two decimals')).toBeVisible()
  await form.getByLabel('Amount').fill('12.50')
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
  const row = page
    .getByRole('table', { name: 'Payments' })
    .getByRole('row', { name: /Journey Payer/ })
    .first()
  await expect(row).toContainText('11/5/2025')
  await expect(row).toContainText('$12.50')
  await expectAccessible(page)
  await page.screenshot({ path: join(screens, 'payments-tab.png'), fullPage: true })
  await row.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row).toBeHidden()
})

test('BLG-121 BLG-132 BLG-138..BLG-140 LIST-011 LIST-017 LIST-039 LIST-058 LIST-059 LIST-124 LIST-125 a billing user opens a batch and downloads it', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  test.setTimeout(90_000)
  await signIn(page, 'billing')
  await page.goto('/requisitions')
  await expect(page.getByRole('heading', { name: 'Billed Requisitions' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Billing Date' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'View & Filters' })).toBeHidden()
  const rows = page.getByRole('table', { name: 'Billing batches' }).locator('tbody tr')
  await expect(rows.first()).toContainText(/Sent|Pending|Failed/)
  await page.getByRole('button', { name: 'Bulk Download' }).click()
  await expect(page.getByText('Please select at least one billing batch to download')).toBeVisible()
  await rows
    .first()
    .getByRole('button', { name: /expand/i })
    .click()
  await expect(page.getByRole('heading', { name: /Requisitions of batch/ })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Test Codes' })).toBeVisible()
  await expectAccessible(page)
  await page.screenshot({ path: join(screens, 'billing-batches.png') })
  const download = page.waitForEvent('download')
  await rows
    .first()
    .getByRole('button', { name: /^Download batch/ })
    .click()
  expect((await download).suggestedFilename()).toMatch(/^billing-batch-\d+\.zip$/)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.screenshot({ path: join(screens, 'billing-batches-390.png') })
})

test('BLG-007..BLG-009 a client sees the billing tab without notes and without anything to change', async ({
  page,
  signIn,
}) => {
  await signIn(page, 'client')
  await page.goto('/requisitions')
  const cell = page.getByRole('table').locator('tbody tr').first().locator('td:not(.ctl)').first()
  await expect(cell).toHaveText(/\d{7}/)
  const id = ((await cell.textContent()) ?? '').match(/\d+/)?.[0]
  await page.goto(`/requisitions/${id}/show/billing`)
  await expect(page.getByRole('heading', { name: 'ICD Codes' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Billing Notes' })).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Downloads/Uploads' })).toBeHidden()
  for (const name of ['Edit', 'Add ICD', 'Previous Insurances', 'Add'])
    await expect(page.getByRole('button', { name, exact: true })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Payments' })).toBeHidden()
})
