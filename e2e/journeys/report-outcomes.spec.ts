import type { Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { callsOf } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const warning = (page: Page, words: string) => page.locator('.warning[role=status]').filter({ hasText: words })
const qc = (page: Page) => page.getByRole('combobox', { name: /^Lab QC Result of/ }).first()

test('DELIV-35 PERM-102 the lab QC select is disabled for users who may not edit reports', async ({ page }) => {
  const collaborator = await sessionOf(page.request, 'collaborator')
  const [{ id }] = await callsOf(page.request, collaborator).get('requisitions/DELIVER?perPage=1')
  const path = `/requisitions/${id}/show/reportsDelivery`
  await openAs(page, collaborator, path)
  await expect(qc(page)).toBeDisabled()
  for (const account of ['admin', 'management', 'staff']) {
    await openAs(page, await sessionOf(page.request, account), path)
    await expect(qc(page)).toBeEnabled()
  }
})

test('DELIV-52 DELIV-53 DELIV-54 a report that cannot be downloaded is shown as a warning: too slow, without an address, refused', async ({
  page,
  faults,
}) => {
  faults.expect(/status of 409/)
  // Nobody waits a minute here.
  await page.addInitScript(`{
    const timeout = AbortSignal.timeout
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 60_000 && !window.isPatient ? 300 : ms)
  }`)
  const session = await sessionOf(page.request, 'staff')
  const [{ id }] = await callsOf(page.request, session).get('requisitions/DELIVER?perPage=1')
  await openAs(page, session, `/requisitions/${id}/show/reportsDelivery`)
  const download = page
    .getByRole('table', { name: 'Reports' })
    .getByRole('button', { name: /^Download / })
    .first()
  const call = `**/requisitions/${id}/download`
  /** The window that was opened for the report closes again. */
  const fails = async (words: string) => {
    const popup = page.waitForEvent('popup')
    await download.click()
    await expect(warning(page, words)).toBeVisible()
    const viewer = await popup
    await expect.poll(() => viewer.isClosed()).toBe(true)
  }
  // A server that never answers.
  await page.route(call, () => undefined, { times: 1 })
  await fails('The server took too long to respond. Please try again later.')
  await page.evaluate('window.isPatient = true')
  await page.route(call, (route) => route.fulfill({ json: { data: {}, message: 'No file today' } }), { times: 1 })
  await fails('No file today')
  const refusal = { code: 'conflict', message: 'The report has been withdrawn', requestId: '1' }
  await page.route(call, (route) => route.fulfill({ status: 409, json: refusal }), { times: 1 })
  await fails('The report has been withdrawn')
})
