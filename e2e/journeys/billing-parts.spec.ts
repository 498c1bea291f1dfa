import type { Page } from '@playwright/test'
import { bearer, openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, newRequisition, text } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const choose = async (page: Page, label: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).first().click()
}
const warning = (page: Page, words: string) => page.locator('.warning[role=status]').filter({ hasText: words })

test('BLG-032 BLG-033 another relationship clears the person of the guarantor, and Dependent the address too', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const id = await newRequisition(callsOf(page.request, session))
  await openAs(page, session, `/requisitions/${id}/show/billing`)
  const guarantor = card(page, 'Guarantor Information')
  await guarantor.getByRole('button', { name: 'Edit' }).click()
  await choose(page, 'Relationship', 'Spouse')
  const person = { 'First Name': 'Gail', 'Middle Name': 'Q', 'Last Name': 'Guarantor', 'Date of Birth': '02/03/1971' }
  const address = { 'Address 1': '9 Oak St', 'Address 2': 'Flat 2', City: 'Boston', ZIP: '02101' }
  const state = page.getByRole('combobox', { name: 'State' })
  const gender = page.getByRole('combobox', { name: 'Gender' })
  const fill = async (values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values)) await text(page, name).fill(value)
    await choose(page, 'Gender', 'Female')
  }
  const holds = async (values: Record<string, string>, isKept: boolean) => {
    for (const [name, value] of Object.entries(values)) await expect(text(page, name)).toHaveValue(isKept ? value : '')
  }
  await fill({ ...person, ...address })
  await state.fill('Massach')
  await page.getByRole('option', { name: 'Massachusetts' }).first().click()

  await choose(page, 'Relationship', /Other|Parent|Guardian/)
  await holds(person, false)
  await expect(gender).not.toContainText('Female')
  await holds(address, true)
  await expect(state).toHaveValue('Massachusetts')
  await fill(person)

  await choose(page, 'Relationship', 'Dependent')
  await holds({ ...person, ...address }, false)
  await expect(gender).not.toContainText('Female')
  await expect(state).toHaveValue('')
})

test('BLG-047 BLG-048 BLG-067 BLG-069 BLG-072 an insurance is taken over from an earlier requisition and edited', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const earlier = await newRequisition(api)
  const [{ billId: useBillId, patientId }] = await api.get(`requisitions/${earlier}/billings`)
  const [company] = await api.get('ins_co?perPage=1')
  const { insuranceCompany } = company
  await api.post(`requisitions/${earlier}/billings/${useBillId}/insurances`, {
    billingOrder: 1,
    insuranceCompany,
    policyNo: 'A123',
    policyHolder: 'Edna Holder',
  })
  const { id } = await api.post(`requisitions/${earlier}/copy`, {})
  // A copy brings its insurance along; this one begins without.
  const [{ billId }] = await api.get(`requisitions/${id}/billings`)
  const own = `requisitions/${id}/billings/${billId}/insurances`
  for (const row of (await api.get(own)) as { id: number }[])
    await page.request.delete(`/api/v3.0/${own}/${row.id}`, { headers: bearer(session) })
  const offered: { billId: number; insuranceId: number }[] = await api.get(`patients/${patientId}/insurances`)
  const useInsuranceId = offered.find((one) => one.billId === useBillId)?.insuranceId

  await openAs(page, session, `/requisitions/${id}/show/billing`)
  const widget = card(page, 'Insurance Information')
  const asked = page.waitForRequest(new RegExp(`/patients/${patientId}/insurances`))
  await widget.getByRole('button', { name: 'Previous Insurances' }).click()
  await asked
  await dialog(page)
    .getByRole('radio', { name: `${insuranceCompany} A123` })
    .check()
  const used = page.waitForRequest((request) => request.url().endsWith(`/requisitions/${id}/prev_insurance`))
  await dialog(page).getByRole('button', { name: 'Use insurance' }).click()
  expect((await used).method()).toBe('POST')
  expect((await used).postDataJSON()).toEqual({ patientId, useBillId, useInsuranceId })
  await expect(dialog(page)).toHaveCount(0)
  await expect(widget.getByRole('row', { name: new RegExp(`${insuranceCompany}.*A123`) })).toBeVisible()

  await widget.getByRole('button', { name: `Edit insurance Primary: ${insuranceCompany}` }).click()
  const modal = page.getByRole('dialog', { name: 'Edit insurance' })
  await expect(modal.getByRole('textbox', { name: 'Policy Number' })).toHaveValue('A123')
  await modal.getByRole('textbox', { name: 'Policy Number' }).fill('B777')
  const [{ id: insId }] = await api.get(own)
  const saved = page.waitForRequest((request) => request.url().endsWith(`/${own}/${insId}`))
  await modal.getByRole('button', { name: 'Update' }).click()
  expect((await saved).method()).toBe('PUT')
  await expect(modal).toHaveCount(0)
  await expect(widget.getByRole('row', { name: /B777/ })).toBeVisible()
})

test('BLG-093 BLG-119 a billing note or payment that the server refuses is shown as a warning, in the words of the server', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const refusal = 'Requisition not found'
  const opened = async (tab: string) => {
    const id = await newRequisition(api)
    await openAs(page, session, `/requisitions/${id}/show/${tab}`)
    return id
  }
  /** By another user, while the form is open. */
  const remove = async (id: number) => {
    const path = `/api/v3.0/requisitions/bulk_delete?id=${id}`
    expect((await page.request.delete(path, { headers: bearer(session) })).status()).toBe(200)
  }
  const noted = await opened('billing')
  await card(page, 'Billing Notes').getByRole('button', { name: 'Add Note' }).click()
  await dialog(page).getByRole('textbox', { name: 'Note' }).fill('Called the insurer')
  await remove(noted)
  const note = page.waitForResponse((reply) => reply.url().endsWith('/bill_notes') && reply.status() === 404)
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
  expect((await (await note).json()).message).toBe(refusal)
  await expect(warning(page, refusal)).toBeVisible()

  const paid = await opened('payments')
  const form = card(page, 'Add Payment')
  await choose(page, 'Payment Type', 'Check')
  await choose(page, 'Payer Type', 'Patient')
  for (const [name, value] of Object.entries({
    'Paid By': 'Journey Payer',
    Amount: '2.50',
    'Check/Confirmation Number': 'W1',
    'Payment Month': '11',
    'Payment Day': '5',
    'Payment Year': '2025',
    Note: 'By journey',
  }))
    await form.getByLabel(name).fill(value)
  await remove(paid)
  await expect(warning(page, refusal)).toHaveCount(0)
  const payment = page.waitForResponse((reply) => reply.url().endsWith('/payments') && reply.status() === 404)
  await form.getByRole('button', { name: 'Add Payment' }).first().click()
  expect((await (await payment).json()).message).toBe(refusal)
  await expect(warning(page, refusal)).toBeVisible()
})

test('BLG-010 a physician has no place to add an ICD code, and the call refuses it', async ({ page }) => {
  const session = await sessionOf(page.request, 'physician')
  const [{ id }] = await callsOf(page.request, session).get('requisitions/CLIENTPHYSROLE?perPage=1')
  await openAs(page, session, `/requisitions/${id}/show/billing`)
  await expect(page).toHaveURL('/403')
  await expect(page.getByRole('button', { name: 'Add ICD' })).toHaveCount(0)
  const added = await page.request.post(`/api/v3.0/requisitions/${id}/req_icds`, {
    headers: bearer(session),
    data: { customIcd: { icdCode: 'E78.5', icdDesc: 'By hand' } },
  })
  expect(added.status()).toBe(403)
})
