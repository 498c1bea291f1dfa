import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { decryptRaw, type MessageTools } from '../../platform/messaging/raw-message.ts'
import { causeOf, type Problem } from './incoming-order.ts'
import { raiseMessageIssue, resolveMessageIssue } from './message-issues.ts'
import { refuseStored, type Settlement, type StoredMessage, settleMessage } from './message-store.ts'
import { partnerCall } from './partner-call.ts'
import type { Partner } from './partner-queries.ts'
import { workPatientMessage } from './patient-message.ts'
import { findOrderedRequisition, releasePlacers } from './placers.ts'
import { type ReadMessage, readMessage } from './read-message.ts'
import { resolveOrder, subjectOf } from './resolve-order.ts'
import { type WorkResult, workOrder } from './work-order.ts'

/**
 * Processes a received or held message: it is carried out, or held with its problems without an effect. The caller has locked
 * the message; everything is in the transaction of the caller.
 */
export const processMessage = async (
  trx: Trx,
  tools: MessageTools,
  message: StoredMessage,
  partner: Partner,
): Promise<Settlement> => {
  const read = readMessage(tools, message, decryptRaw(tools, message.raw as Buffer))
  const settlement = await workRead(trx, tools, message, partner, read)
  await settleMessage(trx, message.id, settlement)
  const { requisitionId } = settlement
  if (settlement.state === 'HELD' && requisitionId)
    await raiseMessageIssue(trx, requisitionId, partner.name, settlement)
  if (settlement.state === 'ACCEPTED') await resolveMessageIssue(trx, requisitionId ?? message.requisition_id)
  return settlement
}

const workRead = async (
  trx: Trx,
  tools: MessageTools,
  message: StoredMessage,
  partner: Partner,
  read: ReadMessage,
): Promise<Settlement> => {
  const subject = subjectOf(read.order ?? read.patient)
  if (read.isTest) {
    const problems = read.order ? (await resolveOrder(trx, partner, read.order, message.choices)).problems : []
    return { state: 'ACCEPTED', reason: 'Test message: nothing was made', subject, problems }
  }
  const result = await withinSavepoint(trx, message, () => {
    const call = partnerCall(trx, tools, partner, message)
    return read.order
      ? workOrder(call, partner, read.order, message)
      : workPatientMessage(call, partner, read.patient, message.choices)
  })
  if (result.isStale) {
    await refuseStored(trx, message.id, '412')
    await releasePlacers(trx, message.id)
    return { state: 'REJECTED', reason: staleWords(read.order?.placers ?? []), subject }
  }
  const { problems, requisitionId, patientId } = result
  const extOrderId = read.order?.extOrderId ?? null
  const known = { requisitionId: requisitionId ?? null, patientId: patientId ?? null, subject, extOrderId }
  if (problems.length === 0) return { state: 'ACCEPTED', reason: result.reason ?? null, ...known }
  // The error of a service does not name the requisition.
  if (known.requisitionId === null && read.order)
    known.requisitionId = await findOrderedRequisition(trx, partner.id, read.order.placers)
  const causes = [...new Set(problems.map((problem) => causeOf(problem, read.order ?? read.patient)))]
  return { state: 'HELD', reason: wordsOf(problems), problems, causes, ...known }
}

/** The reason when an order has another version than its sender expects. */
export const staleWords = (placers: readonly string[]) => `The order ${placers.join(', ')} has another version`

/** An error of the service holds the message; everything written before is rolled back. */
const withinSavepoint = async (
  trx: Trx,
  { kind }: Pick<StoredMessage, 'kind'>,
  work: () => Promise<WorkResult>,
): Promise<WorkResult> => {
  await sql`savepoint message_work`.execute(trx)
  try {
    const result = await work()
    await sql`release savepoint message_work`.execute(trx)
    return result
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint message_work`.execute(trx)
    return { problems: problemsOf(error, kind === 'FHIR' ? fhirPaths : hl7Paths) }
  }
}

/** The HL7 fields of the service's fields. */
const hl7Paths: Record<string, string> = {
  patientFirstName: 'PID-5',
  patientMiddleName: 'PID-5',
  patientLastName: 'PID-5',
  patientDob: 'PID-7',
  patientGenderCode: 'PID-8',
  dateCollected: 'OBR-7',
  orderingClientPhysId: 'ORC-12',
  extOrderId: 'ORC-2',
}

const fhirPaths: Record<string, string> = {
  patientFirstName: 'Patient.name',
  patientMiddleName: 'Patient.name',
  patientLastName: 'Patient.name',
  patientDob: 'Patient.birthDate',
  patientGenderCode: 'Patient.gender',
  dateCollected: 'Specimen.collection.collectedDateTime',
  orderingClientPhysId: 'ServiceRequest.requester',
  extOrderId: 'ServiceRequest.identifier',
}

const problemsOf = ({ errors, message }: AppError, paths: Record<string, string>): Problem[] =>
  errors
    ? errors.map(({ field, message: words }) => ({
        code: 'MISSING_FIELD',
        path: paths[field] ?? '',
        value: '',
        message: words,
      }))
    : [{ code: 'NOT_ALLOWED_NOW', path: '', value: '', message }]

const wordsOf = (problems: readonly Problem[]) => [...new Set(problems.map(({ message }) => message))].join('; ')
