import { hour } from './clock.ts'
import type { Draft, RequisitionContext, TestedResult } from './draft.ts'
import type { MadeReport } from './reports.ts'

const targetHours = 120

interface FlagCauses {
  tested: readonly TestedResult[]
  reports: readonly MadeReport[]
  hasDeliveryFailed: boolean
}

/** Flags that the system would have set, and a few that users set. */
export const addFlags = (context: RequisitionContext, draft: Draft, causes: FlagCauses) => {
  const { random, billType } = draft
  const flags = [
    random.chance(0.02) && 'STAT',
    random.chance(0.01) && 'VIP',
    draft.event.program === 'STUDY' && 'RESEARCH',
    !draft.patient.hasFullAddress && 'DEMO',
    draft.order.needsFasting && draft.isFasting === false && 'NONFAST',
    isLate(context, draft) && 'LATE',
    causes.tested.some(isCritical) && 'CRITICAL',
    causes.reports.some((report) => report.versionTimes.length > 1) && 'CORRECTED',
    causes.reports.some((report) => report.qc === 'MD') && 'MDREVIEW',
    causes.hasDeliveryFailed && 'DELIVERFAIL',
    billType === 'NOCHARGE' && 'DONOTBILL',
  ].filter((flag) => typeof flag === 'string')
  for (const flag of flags) {
    context.rows.add('requisition_flag', { requisition_id: draft.id, flag_id: context.catalogue.flagId(flag) })
  }
}

const isLate = ({ plan }: RequisitionContext, { timeline, receivedAt }: Draft): boolean => {
  const releasedAt = timeline.first('RELEASE') ?? plan.asOf
  return receivedAt !== null && releasedAt - receivedAt > targetHours * hour
}

const isCritical = ({ test, cells }: TestedResult): boolean =>
  (test.testCode === 'A1C' && Number(cells.resultNum) >= 12) ||
  (test.testCode === 'TRIG' && Number(cells.resultNum) >= 800)

/** Pass codes of the whole requisition are given at accessioning; a few that go no further carry a fail code. */
export const addReasons = (context: RequisitionContext, draft: Draft) => {
  const { random, stage } = draft
  if (stage < 1) return
  const codes = new Set<string>()
  if (random.chance(0.6)) codes.add('101')
  if (draft.order.needsFasting && draft.isFasting === false) codes.add('105')
  if (random.chance(0.05)) codes.add(random.pick(['102', '103', '106', '107', '108', '109']))
  if (random.chance(0.008)) {
    const fail = random.pick(['905', '906', '912'])
    // In a later status its report would have no results.
    if (stage === 1) codes.add(fail)
  }
  for (const code of codes) {
    context.rows.add('requisition_reason', { requisition_id: draft.id, reason_id: context.catalogue.reasonId(code) })
  }
}
