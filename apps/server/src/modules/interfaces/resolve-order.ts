import type { MessagePreview } from '@lis/contract/interfaces.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { requireCollected } from '../requisition-entry/order-checks.ts'
import type { IncomingOrder, Problem } from './incoming-order.ts'
import type { Choices } from './message-store.ts'
import type { Partner } from './partner-queries.ts'
import { type OrderedItem, resolveTests } from './resolve-codes.ts'
import {
  type Candidate,
  type ClientOfOrder,
  findClient,
  findOrderPatient,
  findPhysician,
  type PatientOfOrder,
  type PhysicianOfOrder,
  physicianProblem,
} from './resolve-people.ts'

/** An order with all its references resolved, or with the problems that hold it. */
export interface ResolvedOrder {
  client: ClientOfOrder | undefined
  physician: PhysicianOfOrder | undefined
  patient: PatientOfOrder
  items: OrderedItem[]
  unknown: { code: string; name: string }[]
  candidates: Candidate[]
  problems: Problem[]
}

/** Resolves an order. Writes nothing, so the desk uses it for the preview. */
export const resolveOrder = async (
  db: Db,
  partner: Partner,
  order: IncomingOrder,
  choices: Choices,
): Promise<ResolvedOrder> => {
  const client = await findClient(db, partner, order.clientCodes)
  const tests = await resolveTests(db, partner.id, order.tests)
  const patient = await findOrderPatient(db, partner, order, choices)
  const physician =
    client && (await findPhysician(db, client.id, order.physician, choices.physId ?? order.physician?.physicianId))
  const problems = [
    ...(client ? setupProblems(client) : [clientProblem(order)]),
    ...tests.problems,
    ...(client && !physician ? [physicianProblem(order.physician, order.paths.physician)] : []),
    ...patient.problems,
    ...collectionProblems(order, client, patient),
    ...(partner.auto_accept || choices.approve
      ? []
      : [{ code: 'NEEDS_APPROVAL' as const, path: '', value: '', message: 'Orders of this interface need approval' }]),
  ]
  return {
    client,
    physician,
    patient,
    items: tests.items,
    unknown: tests.unknown,
    candidates: patient.candidates,
    problems,
  }
}

const clientProblem = ({ clientCodes, paths }: IncomingOrder): Problem => ({
  code: 'UNKNOWN_CLIENT',
  path: paths.client,
  value: clientCodes[0] ?? '',
  message: clientCodes[0] ? `Client ${clientCodes[0]} is not known` : 'The order names no client that is known',
})

/** A client without the data that an order needs. */
const setupProblems = ({ name, lab_id: labId, event_id: eventId }: ClientOfOrder): Problem[] => [
  ...(labId === null
    ? [{ code: 'NOT_ALLOWED_NOW' as const, path: '', value: '', message: `${name} has no laboratory` }]
    : []),
  ...(eventId === null
    ? [{ code: 'NOT_ALLOWED_NOW' as const, path: '', value: '', message: `${name} has no event to order under` }]
    : []),
]

const collectionProblems = (
  { collected, paths, patient }: IncomingOrder,
  client: ClientOfOrder | undefined,
  { known }: PatientOfOrder,
): Problem[] => {
  const missing = (message: string): Problem => ({ code: 'MISSING_FIELD', path: paths.collected, value: '', message })
  if (collected === null) return [missing('The collection time is missing')]
  if (!client) return []
  try {
    requireCollected(collected, { zone: client.zone, dob: known?.patientDob ?? patient.dob ?? '' })
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [missing(`The collection time cannot be used: ${error.message}`)]
  }
}

const actions = { NW: 'New requisition', XO: 'Change of a requisition', CA: 'Cancellation' } as const

/** The preview for the desk. */
export const previewOf = (order: IncomingOrder, resolved: ResolvedOrder): MessagePreview => {
  const { client, physician, patient, items, unknown } = resolved
  const { known } = patient
  return {
    action: actions[order.control],
    patientName: known
      ? `${known.patientLastName}, ${known.patientFirstName}`
      : [order.patient.lastName, order.patient.firstName].filter(Boolean).join(', '),
    patientDob: known?.patientDob ?? order.patient.dob ?? null,
    patientId: known?.id ?? null,
    clientName: client?.name ?? null,
    physName: physician?.name ?? null,
    collectedDate: order.collected,
    collectedTz: client?.zone ?? null,
    extOrderId: order.extOrderId,
    tests: [
      ...items.map(({ ourCode, code }) => ({ code: ourCode, from: code, isKnown: 1 as const })),
      ...unknown.map(({ code }) => ({ code, from: code, isKnown: 0 as const })),
    ],
    icds: order.icds.map(({ code }) => code),
    insurances: order.insurances.map(({ companyName, companyNo }) => companyName || companyNo),
    isStat: order.isStat ? 1 : 0,
    isFasting: order.isFasting === null ? null : order.isFasting ? 1 : 0,
  }
}

/** The name of the patient of a message in lists. */
export const subjectOf = ({ patient }: Pick<IncomingOrder, 'patient'>): string => {
  const name = [patient.lastName, patient.firstName].filter(Boolean).join(', ')
  const dob = patient.dob?.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1')
  return dob ? `${name} (${dob})` : name
}
