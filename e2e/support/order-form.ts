import { expect, type Page } from '@playwright/test'
import { box, orderDay, text } from './requisition.ts'

// The page Add Requisition, filled in by hand.

export const pick = async (page: Page, name: string, typed: string) => {
  await box(page, name).fill(typed)
  // The first option of the whole list may still be shown: the search begins when typing pauses.
  await page.getByRole('option', { name: typed, exact: true }).first().click()
}
/** Everything an order needs but the patient. */
export const fillOrder = async (page: Page, client: string) => {
  await pick(page, 'Client', client)
  await expect(box(page, 'Client Event')).toHaveText('Routine orders')
  await fillRest(page)
}
export const fillRest = async (page: Page) => {
  await box(page, 'Physician').click()
  await page.getByRole('option').first().click()
  const [year = '', month = '', day = ''] = orderDay().split('-')
  const parts = { Month: month, Day: day, Year: year, Hours: '10', Minutes: '05' }
  for (const [part, value] of Object.entries(parts)) await text(page, `Collected ${part}`).fill(value)
}
export const fillPatient = async (page: Page, lastName: string, firstName = 'Nora') => {
  await text(page, 'First Name').fill(firstName)
  await text(page, 'Last Name').fill(lastName)
  for (const [part, value] of Object.entries({ Month: '3', Day: '4', Year: '1961' }))
    await text(page, `DOB ${part}`).fill(value)
  await box(page, 'Gender').click()
  await page.getByRole('option', { name: 'Female', exact: true }).click()
}
export const create = (page: Page) => page.getByRole('button', { name: 'Create', exact: true }).click()
/** The address of a new requisition's page. */
export const shown = /\/requisitions\/\d+\/show$/
