import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, newRequisition, unique } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

test('DAY-30 two records of a patient are compared side by side, merged, and taken apart again', async ({
  page,
  playwright,
  baseURL,
  look,
}) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  const session = await sessionOf(request, 'admin')
  await request.dispose()
  const api = callsOf(page.request, session)
  const lastName = unique('Twice')
  const [kept, other] = [
    await newRequisition(api, { patientFirstName: 'Ann', patientLastName: lastName }),
    await newRequisition(api, { patientFirstName: 'Anne', patientLastName: lastName }),
  ]
  const patientOf = async (id: number) => (await api.get(`requisitions/${id}/patient`)).patient
  const keep = await patientOf(kept)
  await openAs(page, session, `/requisitions/${kept}/show`)
  await page.getByRole('link', { name: 'Patient’s record' }).click()
  await page.getByRole('button', { name: 'Merge', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: /Anne/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Are these the same person?' })
  await expect(dialog.getByRole('row', { name: /^First Name/ })).toContainText('Anne')
  await expect(dialog).toContainText('1 requisition of the other record moves to the kept one.')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expect(dialog.locator('.MuiButton-contained')).toHaveText(['Cancel'])
  await look(page, 'merge', deskAndPhone)
  await dialog.getByRole('button', { name: 'Same person, merge' }).click()
  await expect(dialog).toBeHidden()
  expect((await patientOf(other)).id).toBe(keep.id)
  const merges = page.getByRole('table', { name: 'Merged records' })
  await expect(merges).toContainText(`#${other}`)
  await look(page, 'merged-records', deskAndPhone)
  await merges.getByRole('button', { name: 'Undo' }).click()
  await expect(merges).toContainText('Undone by')
  expect((await patientOf(other)).patientFirstName).toBe('Anne')
})
