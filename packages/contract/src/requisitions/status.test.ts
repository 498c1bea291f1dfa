import { describe, expect, it } from 'vitest'
import { type Role, roles } from '../access/roles.ts'
import {
  bulkNextStatus,
  canEditPatient,
  canEditRequisition,
  canEditTests,
  canModifyTest,
  displayStatus,
  findMove,
  isDeletable,
  isStatusCode,
  moves,
  nextStatus,
  refusals,
  requisitionStatuses,
  type StatusCode,
  statusCodes,
  statusOf,
} from './status.ts'

describe('the status table', () => {
  // code, description, shown as, tab, order, next, by, editable, deletable
  it.each([
    ['LOG', 'Logged', 'Logged', 'Logged', 10, 'ACC', 'BULK', true, true],
    ['ACC', 'Accessioned', 'Accessioned', 'Accessioned', 20, 'PROCESS', 'BULK', true, true],
    ['PROCESS', 'Processing', 'Processing', 'Processing', 30, 'RESULT', 'AUTO', true, false],
    ['RESULT', 'Resulted', 'Resulted', 'Resulted', 40, 'REPORT', 'BULK', false, false],
    ['REPORT', 'Reported', 'Reported', 'Reported', 50, 'RELEASE', 'BULK', false, false],
    ['RELEASE', 'Released', 'Released', 'Released', 60, 'DELIVER', 'BULK', false, false],
    ['DELIVER', 'Delivered', 'Delivered', 'Delivered', 70, 'READYBILL', 'BILLINGJOB', false, false],
    ['MISSBILL', 'Missing billing information', 'Billed', 'Billing', 80, 'READYBILL', 'BILLINGJOB', false, false],
    ['READYBILL', 'Ready to bill', 'Billed', 'Billing', 90, 'INBILL', 'BILLINGBATCH', false, false],
    ['INBILL', 'In billing batch', 'Billed', 'Billing', 100, 'BILL', 'BILLINGBATCH', false, false],
    ['BILL', 'Billed', 'Billed', 'Billing', 110, null, null, false, false],
    ['OABILL', 'Billed in outside billing system', 'Billed', 'Billing', 120, null, null, false, false],
    ['XEROBILL', 'Invoiced through accounting system', 'Billed', 'Billing', 130, null, null, false, false],
    ['INVOICE', 'Invoice sent', 'Billed', 'Billing', 140, null, null, false, false],
    ['EOB', 'Explanation of benefits received', 'Billed', 'Billing', 150, null, null, false, false],
    ['INSPAYRECD', 'Insurance payment received', 'Billed', 'Billing', 160, null, null, false, false],
    ['PATPAYRECD', 'Patient payment received', 'Billed', 'Billing', 170, null, null, false, false],
    ['HOLD', 'Billing on hold', 'Billed', 'Billing', 180, null, null, false, false],
    ['NONCOLLECT', 'Not collectible', 'Billed', 'Billing', 190, null, null, false, false],
  ] as const)('has %s, %s', (code, description, shown, tab, sortOrder, next, nextBy, editable, deletable) => {
    expect(statusOf(code)).toMatchObject({ description, tab, sortOrder, next, nextBy, editable, deletable })
    expect(displayStatus(code)).toBe(shown)
    expect(nextStatus(code)).toBe(next)
    expect(isDeletable(code)).toBe(deletable)
  })

  it('LOOK-064 LOOK-065 LOOK-066 LOOK-067 LOOK-068 LOOK-069 LOOK-070 LOOK-071 gives each stage its tab', () => {
    const tabs = ['LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER', 'BILL'] as const
    expect(tabs.map((code) => statusOf(code).tab)).toEqual([
      'Logged',
      'Accessioned',
      'Processing',
      'Resulted',
      'Reported',
      'Released',
      'Delivered',
      'Billing',
    ])
  })

  it.each([
    ['LOOK-076', 'READYBILL'],
    ['LOOK-077', 'INBILL'],
    ['LOOK-078', 'BILL'],
    ['LOOK-079', 'OABILL'],
    ['LOOK-080', 'XEROBILL'],
    ['LOOK-081', 'INSPAYRECD'],
    ['LOOK-082', 'INVOICE'],
    ['LOOK-083', 'PATPAYRECD'],
    ['LOOK-084', 'MISSBILL'],
    ['LOOK-085', 'HOLD'],
    ['LOOK-086', 'EOB'],
    ['LOOK-087', 'NONCOLLECT'],
  ] as const)("%s %s is shown grouped as 'Billed'", (_id, code) => {
    expect([statusOf(code).group, displayStatus(code)]).toEqual(['Billed', 'Billed'])
  })

  it('has nineteen codes in rising order, and only lab stages before the billing ones', () => {
    const orders = requisitionStatuses.map(({ sortOrder }) => sortOrder)
    expect(new Set(statusCodes).size).toBe(19)
    expect(orders).toEqual(orders.toSorted((one, other) => one - other))
    expect(requisitionStatuses.map(({ group }) => group).join(' ')).toMatch(/^(LAB ){7}(Billed ?){12}$/)
  })

  it('LIST-007 LIST-008 leads from Logged to Delivered and then into billing', () => {
    const walk: StatusCode[] = []
    for (let code: StatusCode | null = 'LOG'; code !== null; code = nextStatus(code)) walk.push(code)
    expect(walk.map(displayStatus)).toEqual([
      'Logged',
      'Accessioned',
      'Processing',
      'Resulted',
      'Reported',
      'Released',
      'Delivered',
      'Billed',
      'Billed',
      'Billed',
    ])
  })

  it('recognizes its codes only', () => {
    expect(isStatusCode('EOB')).toBe(true)
    expect([isStatusCode('eob'), isStatusCode('Logged'), isStatusCode('constructor'), isStatusCode(null)]).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(() => statusOf('NOPE' as StatusCode)).toThrow('No requisition status NOPE')
  })
})

describe('moves', () => {
  it.each([
    ['LIST-191', 'LOG', 'ACC'],
    ['LIST-192', 'ACC', 'PROCESS'],
    ['LIST-193', 'RESULT', 'REPORT'],
    ['LIST-194', 'REPORT', 'RELEASE'],
    ['LIST-195', 'RELEASE', 'DELIVER'],
  ] as const)("%s the bulk 'next status' moves %s to %s", (_id, from, to) => {
    expect(bulkNextStatus(from)).toBe(to)
    expect(findMove(from, to, 'BULK')).toMatchObject({ from, to })
  })

  it("LIST-196 there is no 'next status' for Processing, nor after Released", () => {
    expect(statusCodes.filter((code) => bulkNextStatus(code) !== null)).toEqual([
      'LOG',
      'ACC',
      'RESULT',
      'REPORT',
      'RELEASE',
    ])
  })

  it('LIST-198 a Released row can be moved back to ACC, and the history says so; no other move leads back', () => {
    expect(findMove('RELEASE', 'ACC', 'BACK')?.reason).toBe('Returned to Accessioned')
    const back = moves.filter(({ from, to }) => statusOf(from).sortOrder > statusOf(to).sortOrder)
    expect(back).toHaveLength(1)
  })

  it('are those of the life cycle, each with its conditions', () => {
    expect(moves.map(({ from, to, how, needs }) => [`${from} ${to}`, how, needs.join(' ')])).toEqual([
      ['LOG ACC', 'BULK', 'hasTest hasReceivedSpecimen isCollected'],
      ['ACC PROCESS', 'BULK', ''],
      ['PROCESS RESULT', 'AUTO', 'resultsComplete'],
      ['RESULT REPORT', 'BULK', 'hasReport'],
      ['REPORT RELEASE', 'BULK', 'demographicQcPassed hasReleasedReport qualityControlSettled signedWhereRequired'],
      ['RELEASE DELIVER', 'BULK', 'demographicQcNotReopened hasReleasedReport'],
      ['DELIVER READYBILL', 'BILLINGJOB', 'hasBillType hasIcd hasPrimaryInsurance'],
      ['MISSBILL READYBILL', 'BILLINGJOB', 'hasBillType hasIcd hasPrimaryInsurance'],
      ['READYBILL INBILL', 'BILLINGBATCH', ''],
      ['INBILL BILL', 'BILLINGBATCH', ''],
      ['RELEASE DELIVER', 'DELIVERY', 'hasReleasedReport releasedReportsDelivered'],
      ['RELEASE ACC', 'BACK', ''],
      ['DELIVER MISSBILL', 'BILLINGJOB', ''],
    ])
    expect(findMove('LOG', 'PROCESS', 'BULK')).toBeUndefined()
  })

  it('are refused with a message that names the requisition', () => {
    const texts = moves.flatMap(({ needs }) => needs.map((need) => refusals[need](1000123)))
    expect(texts.filter((text) => !text.startsWith('Requisition #1000123 has '))).toEqual([])
  })
})

describe('what may be changed when', () => {
  const open: StatusCode[] = ['LOG', 'ACC', 'PROCESS']
  const holders = (allowed: (role: Role, code: StatusCode) => boolean) =>
    statusCodes.flatMap((code) => roles.filter((role) => allowed(role, code)).map((role) => `${code} ${role}`))
  const pairs = (...who: Role[]) => open.flatMap((code) => who.map((role) => `${code} ${role}`))

  it('PERM-027 DETAIL-149 the requisition is edited by super admins in LOG, ACC and PROCESS only', () => {
    expect(holders(canEditRequisition)).toEqual(pairs('ADM', 'MGMT', 'STF'))
  })
  it('PERM-028 PAT-015 PAT-016 the patient is edited by super admins and COLA in LOG, ACC and PROCESS only', () => {
    expect(holders(canEditPatient)).toEqual(pairs('ADM', 'MGMT', 'STF', 'COLA'))
  })
  it('PERM-108 TEST-47 tests are edited by super admins in LOG, ACC and PROCESS only', () => {
    expect(holders(canEditTests)).toEqual(pairs('ADM', 'MGMT', 'STF'))
  })
  it('TEST-46 a test is modified in PROCESS only', () => {
    expect(statusCodes.filter(canModifyTest)).toEqual(['PROCESS'])
  })
  it('a requisition is deleted in LOG or ACC only', () => {
    expect(statusCodes.filter(isDeletable)).toEqual(['LOG', 'ACC'])
  })
})
