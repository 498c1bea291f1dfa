import { expect, it } from 'vitest'
import { openDeliveries } from '../../../test/deliveries.ts'

const world = openDeliveries()
const { test, released, work, ledgerOf, historyOf } = world

it('LIST-198 a Released requisition that returns to Accessioned holds its reports until lab QC releases them again', async () => {
  const { id, report, clientId } = await released({ transmit_method_code: 'EMAIL' })
  const practice = await test.as('CLNT', clientId)
  const download = () => practice.post(`requisitions/${id}/download`, { callSource: 'VIEW', reportIds: [report] })
  expect((await download()).status).toBe(200)
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  expect((await world.staff.put('requisitions', { id, reqStatusCode: 'ACC' })).status).toBe(200)
  expect(await historyOf(id)).toContain('Lab QC: Hold: the requisition was returned to Accessioned')
  expect((await download()).status).toBe(409)
  await work()
  expect(world.mail.received).toEqual([])
  expect(await ledgerOf(id)).toMatchObject([{ deliveryState: 'FAILED' }])
  const condition = (await world.staff.get(`requisitions/${id}/checklist`)).body.data.find(
    ({ code }: { code: string }) => code === 'hasReleasedReport',
  )
  expect(condition.isDone).toBe(0)
  await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
  expect((await download()).status).toBe(200)
})

it.each([
  ['RELEASE', 'ACC', 'Accessioned'],
  ['RELEASE', 'REPORT', 'Reported'],
  ['DELIVER', 'PROCESS', 'Processing'],
])('DETAIL-150 LIST-198 the status select does the same, from %s to %s', async (from, to, name) => {
  const { id, report, clientId } = await released({ transmit_method_code: 'EMAIL' }, from)
  const practice = await test.as('CLNT', clientId)
  const download = () => practice.post(`requisitions/${id}/download`, { callSource: 'VIEW', reportIds: [report] })
  await world.staff.post(`requisitions/${id}/rep_delivery`, {})
  expect((await world.staff.put(`requisitions/${id}`, { reqStatusCode: to })).status).toBe(200)
  expect(await historyOf(id)).toContain(`Lab QC: Hold: the requisition was returned to ${name}`)
  expect((await download()).status).toBe(409)
  await work()
  expect(world.mail.received).toEqual([])
  expect(await ledgerOf(id)).toMatchObject([{ deliveryState: 'FAILED' }])
})

it.each([
  ['RESULT', 'REPORT'],
  ['BILL', 'DELIVER'],
  ['DELIVER', 'RELEASE'],
  ['RELEASE', 'RELEASE'],
])('DETAIL-150 the status select leaves the reports out, from %s to %s', async (from, to) => {
  const { id } = await released({}, from)
  expect((await world.staff.put(`requisitions/${id}`, { reqStatusCode: to })).status).toBe(200)
  const [report] = (await world.staff.get(`requisitions/${id}/reports`)).body.data
  expect(report.labQcStatusCode).toBe('RELEASE')
})

it('a refused move holds no report', async () => {
  const { id } = await released({}, 'DELIVER')
  expect((await world.staff.put('requisitions', { id, reqStatusCode: 'ACC' })).status).toBe(409)
  const [report] = (await world.staff.get(`requisitions/${id}/reports`)).body.data
  expect(report.labQcStatusCode).toBe('RELEASE')
})
