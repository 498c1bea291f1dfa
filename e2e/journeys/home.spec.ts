import { sessionOf } from '../support/people.ts'
import { callsOf, newRequisition } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

test('HOME-01 staff see what waits for them and open the queue', async ({ page, signIn, look }) => {
  await signIn(page, 'staff')
  const needs = page.getByRole('region', { name: 'What needs me now' })
  const receive = needs.getByRole('link', { name: /^To receive, \d+ waiting$/ })
  await expect(receive).toBeVisible()
  await expect(page.getByRole('img', { name: 'LIS logo' }).first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Welcome to Lab Information System (LIS)' })).toBeVisible()
  await expect(page.getByText('Stella Núñez')).toBeVisible()
  for (const name of ['Turnaround today', 'Flow by status', 'Received by hour', 'My recent requisitions'])
    await expect(page.getByRole('region', { name })).toBeVisible()
  await look(page, 'home-staff', deskAndPhone)
  await receive.click()
  await expect(page).toHaveURL(/\/requisitions\?status=Logged/)
  await expect(page.getByRole('heading', { name: 'Requisitions' })).toBeVisible()
})

test('HOME-04 the page follows the work of others within two seconds', async ({ page, signIn }) => {
  await signIn(page, 'admin')
  const receive = page.getByRole('link', { name: /^To receive, \d+ waiting$/ })
  const countOf = async () => Number(/\d+/.exec((await receive.getAttribute('aria-label')) ?? '')?.[0])
  const before = await countOf()
  await newRequisition(callsOf(page.request, await sessionOf(page.request, 'management')))
  await expect.poll(countOf, { timeout: 2000 }).toBeGreaterThan(before)
})
