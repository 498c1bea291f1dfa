import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, newRequisition } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const unlabelled = { reporterDeptId: 1, resolverDeptId: 2, issueDesc: 'Tube without a label' }

test('ISSUE-28 ISSUE-37 the status of an issue is chosen from the list that lovs/ISSUESTATUS gives', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const issue = await api.post(`requisitions/${id}/issues`, unlabelled)
  // One more than the product has: it can come from the call alone.
  const asked = page.waitForRequest(/\/lovs\/ISSUESTATUS(\?|$)/)
  await page.route(/\/lovs\/ISSUESTATUS(\?|$)/, async (route) => {
    const response = await route.fetch()
    const { data, total, ...rest } = await response.json()
    const more = { ...data[0], id: 999, code: 'WAITING', description: 'Waiting for the client' }
    await route.fulfill({ response, json: { ...rest, data: [...data, more], total: total + 1 } })
  })
  await openAs(page, session, `/requisitions/${id}/show/issues`)
  await asked
  const item = card(page, 'Issues').getByRole('listitem').filter({ hasText: unlabelled.issueDesc })
  const status = item.getByRole('combobox', { name: 'Status' })
  await expect(status).toHaveText('Open')
  await status.click()
  await expect(page.getByRole('option')).toHaveText(['Open', 'In progress', 'Resolved', 'Waiting for the client'])
  const saved = page.waitForRequest(
    (request) => request.method() === 'PUT' && request.url().endsWith(`/requisitions/${id}/issues/${issue.id}`),
  )
  await page.getByRole('option', { name: 'In progress' }).click()
  expect((await saved).postDataJSON()).toEqual({ issueStatusCode: 'INPROG' })
  await expect(status).toHaveText('In progress')
})

test('ISSUE-46 ISSUE-47 opening a notification marks it read by a call without a body', async ({ page }) => {
  const session = await sessionOf(page.request, 'admin')
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const { depts } = await api.get(`users/${session.access.userId}`)
  await api.post(`requisitions/${id}/issues`, { ...unlabelled, resolverDeptId: depts[0].deptId })
  await openAs(page, session, '/requisitions')
  await page.getByRole('button', { name: 'Notifications, unread' }).click()
  const marked = page.waitForRequest((request) => request.url().endsWith(`/notifications/${id}/read`))
  await page
    .getByRole('dialog', { name: 'Notifications' })
    .getByRole('link', { name: `Requisition #${id} has` })
    .click()
  expect((await marked).method()).toBe('POST')
  expect((await marked).url()).toContain(`/users/${session.access.userId}/notifications/`)
  expect((await marked).postData()).toBeNull()
  expect((await (await marked).response())?.status()).toBe(200)
  const all: { id: number; issueCount: number; readCount: number }[] = await api.get(
    `users/${session.access.userId}/notifications`,
  )
  expect(all.find((one) => one.id === id)).toMatchObject({ issueCount: 1, readCount: 1 })
})
