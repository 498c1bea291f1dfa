import { fileNameOf } from '../../src/platform/storage/object-store.ts'
import { hour, isoInstant, minute } from './clock.ts'
import type { Draft, RequisitionContext, TestedResult } from './draft.ts'
import { weighted } from './random.ts'
import { type ReportContent, renderReport } from './report-pdf.ts'

type QcStatus = 'PENDING' | 'RELEASE' | 'REPEAT' | 'MD' | 'HOLD'

/** A report with what has happened to it. */
export interface MadeReport {
  id: number
  qc: QcStatus
  createdAt: number
  /** Of every version, the first at index 0. */
  versionTimes: readonly number[]
}

const openQc = weighted<QcStatus>([
  ['PENDING', 50],
  ['RELEASE', 25],
  ['MD', 10],
  ['HOLD', 8],
  ['REPEAT', 7],
])
const secondQc = weighted<QcStatus>([
  ['PENDING', 55],
  ['HOLD', 20],
  ['MD', 25],
])

export const addReports = (context: RequisitionContext, draft: Draft, tested: readonly TestedResult[]): MadeReport[] =>
  wantedReports(draft).map((qc, index) => addReport(context, draft, tested, qc, index))

/** Lab QC results of the reports that this stage of the life cycle has. */
const wantedReports = ({ stage, random }: Draft): QcStatus[] => {
  if (stage < 2) return []
  if (stage === 2) return random.chance(0.03) ? ['PENDING'] : []
  if (stage === 3) return random.chance(0.3) ? ['PENDING'] : []
  if (stage === 4) return [random.draw(openQc)]
  if (!random.chance(0.06)) return ['RELEASE']
  return ['RELEASE', stage > 5 && random.chance(0.8) ? 'RELEASE' : random.draw(secondQc)]
}

const addReport = (
  context: RequisitionContext,
  draft: Draft,
  tested: readonly TestedResult[],
  qc: QcStatus,
  index: number,
): MadeReport => {
  const { random } = draft
  const createdAt = createdTime(context, draft) + index * 1000
  const corrected = index === 0 ? correctionTime(context, draft) : undefined
  const versionTimes = corrected === undefined ? [createdAt] : [createdAt, corrected]
  const decidedAt = decisionTime(context, draft, createdAt)
  // The first version and its correction were both released, each by its own decision.
  const decisions = corrected === undefined ? [decidedAt] : [decidedAt, secondDecisionTime(draft, corrected)]
  const latest = isoInstant(decisions.at(-1) as number)
  const id = context.ids.next('report')
  context.rows.add('report', {
    id,
    requisition_id: draft.id,
    current_version_no: versionTimes.length,
    lab_qc_status_code: qc,
    review_at: qc === 'MD' ? latest : null,
    release_at: qc === 'RELEASE' ? latest : null,
    first_release_at: qc === 'RELEASE' ? isoInstant(decidedAt) : null,
    repeat_at: qc === 'REPEAT' ? latest : null,
    created_at: isoInstant(createdAt),
  })
  const author = context.world.users.of(context.catalogue.departmentId('QA'), random)
  versionTimes.forEach((at, version) => {
    addVersion(context, draft, tested, { id, index, version: version + 1, at, author })
    if (context.isDetailed && qc !== 'PENDING')
      addEvent(context, id, version + 1, reviewActions[qc], author, decisions[version] as number)
  })
  return { id, qc, createdAt, versionTimes }
}

const reviewActions: Record<Exclude<QcStatus, 'PENDING'>, string> = {
  RELEASE: 'RELEASE',
  REPEAT: 'REPEAT',
  MD: 'REVIEW',
  HOLD: 'HOLD',
}

/** Shortly before the requisition moved to Reported; where it has not yet, some time after the results. */
const createdTime = ({ plan }: RequisitionContext, { timeline, random }: Draft): number => {
  const reported = timeline.first('REPORT')
  const resulted = timeline.first('RESULT') ?? timeline.first('PROCESS') ?? plan.asOf
  if (reported === undefined) return Math.min(resulted + random.between(0.5, 3) * hour, plan.asOf - 5 * minute)
  return Math.max(resulted, reported - random.int(2, 30) * minute)
}

/** The QC decision comes before the move to Released. */
const decisionTime = ({ plan }: RequisitionContext, { timeline, random }: Draft, createdAt: number): number => {
  const released = timeline.first('RELEASE')
  if (released === undefined) return Math.min(createdAt + random.between(0.2, 2) * hour, plan.asOf - minute)
  return Math.max(createdAt + 2000, released - random.int(1, 25) * minute)
}

/** Between the correction and what follows it: the second move to Released, or the delivery of the corrected version. */
const secondDecisionTime = ({ timeline }: Draft, corrected: number): number => {
  const released = timeline.events.find(({ to, at }) => to === 'RELEASE' && at > corrected)?.at
  return Math.floor((corrected + (released ?? corrected + correctedUntilSent)) / 2)
}
const correctedUntilSent = 10 * minute

/** A requisition that went back and forth has a corrected report; and now and then a delivered one is corrected later. */
const correctionTime = ({ plan }: RequisitionContext, { timeline, random, stage }: Draft): number | undefined => {
  if (timeline.wasReturned) return timeline.events.findLast((event) => event.to === 'REPORT')?.at
  const delivered = timeline.first('DELIVER')
  if (stage < 6 || delivered === undefined || !random.chance(0.015)) return undefined
  const wanted = delivered + random.between(3, 40) * hour
  return wanted < plan.asOf - hour ? wanted : undefined
}

interface Version {
  id: number
  index: number
  version: number
  at: number
  author: number
}

const addVersion = (context: RequisitionContext, draft: Draft, tested: readonly TestedResult[], part: Version) => {
  const isCorrection = part.version > 1
  const fileId = context.files.add({
    key: `demo/reports/${draft.id}/${part.index + 1}-v${part.version}.pdf`,
    name: fileName(draft, part),
    createdBy: part.author,
    createdAt: part.at,
    render: () => renderReport(reportContent(draft, tested, part)),
  })
  context.rows.add('report_version', {
    report_id: part.id,
    version_no: part.version,
    file_id: fileId,
    is_correction: isCorrection,
    correction_reason: isCorrection ? 'Patient data corrected on request of the client' : null,
    created_by: part.author,
    created_at: isoInstant(part.at),
  })
  if (context.isDetailed) addEvent(context, part.id, part.version, 'UPLOAD', part.author, part.at)
}

/** By the collaborator's name format; the requisition id leads wherever the format allows, as the batch upload expects it. */
const fileName = ({ id, patient, client }: Draft, { index, version }: Version): string => {
  const suffix = `${index > 0 ? `-${index + 1}` : ''}${version > 1 ? '_corrected' : ''}.pdf`
  const { last, first } = patient.name
  if (client.collaborator.reportNameFormat === 'REQIDLAST') return fileNameOf(id, last) + suffix
  if (client.collaborator.reportNameFormat === 'LASTFIRSTDOB') return fileNameOf(last, first, patient.dob) + suffix
  return `${id}${suffix}`
}

const reportContent = (draft: Draft, tested: readonly TestedResult[], { version, at }: Version): ReportContent => ({
  title: version > 1 ? 'Corrected report' : draft.stage < 3 ? 'Preliminary report' : 'Final report',
  labName: draft.lab.name,
  zone: draft.lab.zone,
  requisitionId: draft.id,
  patient: `${draft.patient.name.last}, ${draft.patient.name.first}`,
  dob: draft.patient.dob,
  sex: draft.patient.sex,
  client: draft.client.name,
  physician: draft.ordering.name,
  collectedAt: draft.collectedAt,
  collectedZone: draft.client.zone,
  receivedAt: draft.receivedAt ?? draft.collectedAt,
  reportedAt: at,
  results: tested.map(({ test, cells, failCode }) => ({
    name: test.testDesc,
    value: cells.reportable ?? (failCode ? `Not performed (${failCode})` : 'Pending'),
    unit: test.units ?? '',
    interpretation: cells.interpretation ?? '',
  })),
})

const addEvent = (
  context: RequisitionContext,
  reportId: number,
  version: number,
  action: string,
  actor: number,
  at: number,
) =>
  context.rows.add('report_event', {
    id: context.ids.next('report_event'),
    report_id: reportId,
    version_no: version,
    action_code: action,
    actor_id: actor,
    at: isoInstant(at),
  })

/** A report in the portal has arrived, and a printed one waits for the printer: neither can fail. */
const failures: Record<string, string> = {
  EMAIL: 'Mailbox is full (452 4.2.2)',
  FAX: 'No answer from the fax gateway after 3 attempts',
  HL7: 'Connection refused by the receiving system',
}

export interface Deliveries {
  hasFailed: boolean
}

/** Delivered requisitions have every released report in the ledger; of the released ones a few could not be sent. */
export const addDeliveries = (
  context: RequisitionContext,
  draft: Draft,
  reports: readonly MadeReport[],
): Deliveries => {
  const { random, timeline, stage, client } = draft
  const canFail = failures[client.transmitMethod] !== undefined
  const released = reports.filter((report) => report.qc === 'RELEASE')
  const deliveredAt = timeline.events.findLast((event) => event.to === 'DELIVER')?.at
  if (deliveredAt === undefined) {
    const releasedAt = timeline.first('RELEASE')
    const hasFailed = stage === 5 && releasedAt !== undefined && random.chance(0.2) && canFail
    if (hasFailed && releasedAt) addDelivery(context, draft, released[0], 1, releasedAt + 30_000, 'FAILED')
    return { hasFailed }
  }
  const hadFailure = random.chance(0.08) && canFail
  if (hadFailure) addDelivery(context, draft, released[0], 1, deliveredAt - 1000, 'FAILED')
  // Two deliveries of one requisition never share an instant: the list shows the latest.
  released.forEach((report, index) => {
    const version = report.versionTimes.filter((at) => at <= deliveredAt).length
    addDelivery(context, draft, report, version, deliveredAt + index * 1000, 'DELIVERED')
    const correctedAt = report.versionTimes.find((at) => at > deliveredAt)
    if (correctedAt) addDelivery(context, draft, report, version + 1, correctedAt + correctedUntilSent, 'DELIVERED')
  })
  return { hasFailed: false }
}

const addDelivery = (
  context: RequisitionContext,
  draft: Draft,
  report: MadeReport | undefined,
  version: number,
  at: number,
  state: 'DELIVERED' | 'FAILED',
) => {
  if (!report) return
  const { random, client } = draft
  const sender = context.world.users.of(context.catalogue.departmentId('DELIVERY'), random)
  context.rows.add('report_delivery', {
    id: context.ids.next('report_delivery'),
    requisition_id: draft.id,
    report_id: report.id,
    report_version_no: version,
    transmit_method_code: client.transmitMethod,
    party_id: client.id,
    recipient: client.recipient,
    state,
    requested_by: sender,
    requested_at: isoInstant(at - random.int(1, 20) * 1000),
    delivered_at: state === 'DELIVERED' ? isoInstant(at) : null,
    failure: state === 'FAILED' ? (failures[client.transmitMethod] ?? null) : null,
  })
  if (context.isDetailed && state === 'DELIVERED') addEvent(context, report.id, version, 'DELIVER', sender, at)
}
