import { addBilling, drawBillType, drawMissing } from './billing.ts'
import type { Client } from './clients.ts'
import { atLocalTime, day, hour, inLabHours, isoInstant, localDay, minute } from './clock.ts'
import { addDocuments } from './documents.ts'
import type { Draft, RequisitionContext } from './draft.ts'
import { addFlags, addReasons } from './flags.ts'
import { addIssues, addLabNote } from './issues.ts'
import { type Order, tubeKinds } from './orders.ts'
import { addPatient, firstOrderOf, patientAt, patientIndexOf } from './patients.ts'
import { addPayments } from './payments.ts'
import { personName } from './people.ts'
import { Random, streams } from './random.ts'
import { addDeliveries, addReports, type MadeReport } from './reports.ts'
import type { Lab } from './seed-context.ts'
import { addSpecimens } from './specimens.ts'
import { addTests } from './tests.ts'
import { makeTimeline, stageOf, type Timeline } from './timeline.ts'

/** The identity column of `requisition` starts here; the number is also printed on the tubes. */
const firstId = 1_000_001

const noTests: Order = { tests: [], specimenTypes: [], needsFasting: false }

/** Writes patient number `index`, with the data of the first order. */
export const addPatientRow = (context: RequisitionContext, index: number) => {
  const orderIndex = Math.min(firstOrderOf(index, context.plan), context.plan.requisitions - 1)
  const patient = patientAt(index, context.plan, context.world)
  addPatient(
    context.rows,
    context.catalogue,
    patient,
    context.plan.asOf - context.plan.ageDaysOf(orderIndex) * day - hour,
  )
}

/** Writes requisition number `index` with everything that belongs to it. */
export const addRequisition = (context: RequisitionContext, index: number) => {
  const draft = makeDraft(context, index)
  const missing = drawMissing(draft.random, draft.stage, draft.status, draft.billType)
  if (missing.has('billType')) draft.billType = null
  const reports = addLabWork(context, draft)
  writeRequisition(context, draft, reports)
  addHistory(context, draft)
  addStatusEvents(context, draft)
  addReasons(context, draft)
  addBilling(context, draft, missing)
  addPayments(context, draft)
  addDocuments(context, draft)
  addLabNote(context, draft)
}

const addLabWork = (context: RequisitionContext, draft: Draft): MadeReport[] => {
  addSpecimens(context, draft)
  const tested = addTests(context, draft)
  const reports = addReports(context, draft, tested)
  const { hasFailed } = addDeliveries(context, draft, reports)
  const issues = addIssues(context, draft, { hasDeliveryFailed: hasFailed })
  addFlags(context, draft, { tested, reports, hasDeliveryFailed: hasFailed })
  if (issues > 0) addReads(context, draft, issues)
  return reports
}

const makeDraft = (context: RequisitionContext, index: number): Draft => {
  const { plan, world } = context
  const random = new Random(plan.seed, streams.requisition, index)
  const patient = patientAt(patientIndexOf(index, plan, random), plan, world)
  const ageDays = plan.ageDaysOf(index)
  const client = workingClient(context, patient.client, ageDays)
  const lab = random.chance(0.85) ? (client.labs[0] as Lab) : random.pick(client.labs)
  const status = plan.statusOf(index)
  const stage = stageOf(status)
  const loggedAt = loggedTime(context, lab, ageDays, random)
  const timeline = makeTimeline({ random, status, loggedAt, asOf: plan.asOf, zone: lab.zone, batches: context.batches })
  const event = random.chance(0.75) ? client.events[0] : random.pick(client.events)
  if (!event) throw new Error(`Client ${client.id} has no event`)
  const order = context.orders.forProgram(event.program, random)
  // One logged requisition in eight has no test: it cannot move on until somebody asks.
  const isEmpty = stage === 0 && random.chance(0.12)
  // The busiest physician of a practice orders about a third.
  const ordering = (random.chance(0.3) ? client.physicians[0] : random.pick(client.physicians)) as Draft['ordering']
  return {
    id: firstId + index,
    index,
    random,
    status,
    stage,
    patient,
    client,
    ordering,
    lab,
    event,
    order: isEmpty ? { ...noTests, specimenTypes: order.specimenTypes } : order,
    timeline,
    loggedAt,
    ...collection(context, client, loggedAt, stage, timeline, random),
    isFasting: random.chance(0.1) ? null : random.chance(0.8),
    billType: drawBillType(random, status, client.billType, patient.hasFullAddress && ordering.hasValidNpi),
  }
}

/** A client that has ordered nothing for two years has no newer orders; the next client gets them. */
const workingClient = ({ world }: RequisitionContext, client: Client, ageDays: number): Client =>
  client.isIdle && ageDays < 730 ? (world.clients[client.id % world.clients.length] as Client) : client

const loggedTime = ({ plan }: RequisitionContext, lab: Lab, ageDays: number, random: Random): number => {
  const instant = plan.asOf - Math.floor(ageDays * day)
  const working = inLabHours(lab.zone, instant, random.next())
  return working < plan.asOf - 3 * hour ? working : instant
}

/** Paper orders come with the tube a day or two after the draw; portal orders are logged at once and the tube follows. */
const collection = (
  { plan }: RequisitionContext,
  client: Client,
  loggedAt: number,
  stage: number,
  timeline: Timeline,
  random: Random,
): Pick<Draft, 'collectedAt' | 'receivedAt'> => {
  if (random.chance(0.7)) {
    const drawnOn = localDay(client.zone, loggedAt) - random.int(1, 2)
    const collectedAt = atLocalTime(client.zone, drawnOn, random.int(26, 64) * 15)
    const isHere = stage > 0 || random.chance(0.8)
    return { collectedAt, receivedAt: isHere ? loggedAt - random.int(5, 110) * minute : null }
  }
  const collectedAt = loggedAt - random.int(10, 90) * minute
  const accessionedAt = timeline.first('ACC')
  const isHere = accessionedAt !== undefined || random.chance(0.3)
  const latest = accessionedAt ?? plan.asOf - minute
  return {
    collectedAt,
    receivedAt: isHere ? Math.floor(loggedAt + (latest - loggedAt) * random.between(0.3, 0.95)) : null,
  }
}

/** Half an hour to an hour and a half after the draw, on a quarter of an hour; no time is after midnight. */
const centrifugedTime = ({ client, collectedAt, random }: Draft): string | null => {
  const midnight = atLocalTime(client.zone, localDay(client.zone, collectedAt), 0)
  const quarters = Math.ceil((collectedAt - midnight) / (15 * minute)) + random.int(2, 4) + random.int(0, 2)
  if (quarters >= 96) return null
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${twoDigits(Math.floor(quarters / 4))}:${twoDigits((quarters % 4) * 15)}`
}

const writeRequisition = (context: RequisitionContext, draft: Draft, reports: readonly MadeReport[]) => {
  const { random, client, timeline, order, stage } = draft
  const copy = random.chance(0.05) ? random.pick(context.world.clients) : null
  const copyTo = copy && random.pick(copy.physicians)
  const hasOrderId = client.collaborator.hasOrderIds && random.chance(0.8)
  const isReleased = reports.some((report) => report.qc === 'RELEASE')
  const phlebotomist = personName(random, 'FEMALE')
  const cryoPrints = order.tests.some(({ test }) => test.testCode === 'SVDX') ? 2 : 0
  context.rows.add('requisition', {
    id: draft.id,
    status_code: draft.status,
    status_at: isoInstant(timeline.last),
    patient_id: draft.patient.id,
    client_id: client.id,
    collaborator_id: client.collaborator.id,
    lab_id: draft.lab.id,
    ordering_client_physician_id: draft.ordering.linkId,
    copy_to_client_id: copy?.id ?? null,
    copy_client_physician_id: copyTo?.linkId ?? null,
    event_id: draft.event.id,
    physician_id: draft.ordering.physicianId,
    copy_physician_id: copyTo?.physicianId ?? null,
    ext_order_id: hasOrderId ? `A-${20_000 + draft.index}` : null,
    ext_accession_id: hasOrderId && random.chance(0.3) ? `X${random.digits(7)}` : null,
    is_fasting: draft.isFasting,
    collected_at: isoInstant(draft.collectedAt),
    collected_zone: client.zone,
    centrifuged_time: order.specimenTypes[0] === 'SERUM' ? centrifugedTime(draft) : null,
    collect_code: tubeKinds[order.specimenTypes[0] ?? 'SERUM']?.collect ?? 'VENI',
    collected_by: `${phlebotomist.first} ${phlebotomist.last}`,
    logged_at: isoInstant(draft.loggedAt),
    bill_type_code: draft.billType,
    is_send_notif: random.chance(0.3),
    is_dem_qc_pass: stage > 4 || (stage === 4 && random.chance(isReleased ? 0.6 : 0.3)),
    cryo_flag: cryoPrints > 0 ? 'C' : null,
    cryo_print_nbr: cryoPrints,
    source_requisition_id: draft.index > 200 && random.chance(0.01) ? draft.id - random.int(1, 150) : null,
    created_by: context.world.users.of(context.catalogue.departmentId('ACC'), random),
    created_at: isoInstant(draft.loggedAt),
  })
}

const familyHistories = ['NONE', 'ONEPARENT', 'BOTHPARENTS', 'SIBLING', 'PARENTSIB', 'OTHER', 'UNK'] as const

const addHistory = (context: RequisitionContext, { id, random, patient }: Draft) => {
  const isHypertensive = random.chance(patient.ageYears > 55 ? 0.5 : 0.15)
  const isMale = patient.sex === 'MALE'
  const height = Math.round((isMale ? 69 : 64) + 2.8 * random.normal())
  const weight = Math.round((isMale ? 192 : 165) + 28 * random.normal() + 8 * patient.risk)
  context.rows.add('patient_history', {
    requisition_id: id,
    is_smoker: patient.isSmoker,
    is_diabetic: patient.isDiabetic,
    is_family_history: random.chance(0.3),
    is_patient_history: random.chance(0.08),
    is_stress: random.chance(0.25),
    is_low_hdl: patient.isDiabetic && random.chance(0.8),
    is_lipid_med: random.chance(patient.risk > 0.5 ? 0.5 : 0.15),
    is_hypertension: isHypertensive,
    is_blood_med: isHypertensive && random.chance(0.8),
    is_med_necessity: random.chance(0.9),
    is_obesity: (weight * 703) / (height * height) >= 30,
    is_covid_vac: random.chance(0.7),
    fam_hist_t2d_code: random.pick(familyHistories),
    is_self_t2d_gest: random.chance(0.1),
    ...bloodPressure(random, isHypertensive),
    weight,
    height_inches: height,
  })
}

/** In a million draws the lower one would sometimes be above the upper one. */
const bloodPressure = (random: Random, isHypertensive: boolean) => {
  const sbp = Math.round((isHypertensive ? 142 : 122) + 9 * random.normal())
  const dbp = Math.round((isHypertensive ? 88 : 77) + 6 * random.normal())
  return { sbp, dbp: Math.min(dbp, sbp - 20) }
}

const departmentOfMove: Record<string, string> = {
  LOG: 'ACC',
  ACC: 'ACC',
  PROCESS: 'LAB',
  RESULT: 'LAB',
  REPORT: 'QA',
  RELEASE: 'QA',
  DELIVER: 'DELIVERY',
}

/** The billing run moves requisitions itself; all other moves were made by users. */
const addStatusEvents = (context: RequisitionContext, { id, random, timeline }: Draft) => {
  for (const { from, to, at, reason } of timeline.events) {
    const bySystem = to === 'READYBILL' || to === 'MISSBILL'
    const department = context.catalogue.departmentId(departmentOfMove[to] ?? 'BILLING')
    context.rows.add('requisition_status_event', {
      id: context.ids.next('requisition_status_event'),
      requisition_id: id,
      from_code: from,
      to_code: to,
      reason,
      actor_id: bySystem ? null : context.world.users.of(department, random),
      at: isoInstant(at),
    })
  }
}

const readers = ['admin', 'management', 'staff', 'collaborator']

/** Users have read most of their older notices. */
const addReads = (context: RequisitionContext, { id, random, client, timeline }: Draft, issues: number) => {
  if (!context.isDetailed) return
  for (const account of context.world.accounts) {
    if (!readers.includes(account.userName) || !random.chance(0.93)) continue
    if (account.role === 'COLA' && client.collaborator !== context.world.collaborators[0]) continue
    context.rows.add('notification_read', {
      user_id: account.id,
      requisition_id: id,
      read_count: issues,
      read_at: isoInstant(Math.min(timeline.last + 3 * hour, context.plan.asOf)),
    })
  }
}
