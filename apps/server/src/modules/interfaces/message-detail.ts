import type { InterfaceMessageDetail, MessagePreview } from '@lis/contract/interfaces.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { notFound } from '../../platform/errors.ts'
import { parseMessage } from '../../platform/hl7/message.ts'
import { decryptRaw, type MessageTools } from '../../platform/messaging/raw-message.ts'
import { describeBundle } from './fhir-fields.ts'
import { describeFields } from './hl7-fields.ts'
import { readHeader } from './hl7-header.ts'
import { contentFaults } from './hl7-structure.ts'
import type { Problem } from './incoming-order.ts'
import { findMessageRow, listSameCauseIds } from './message-queries.ts'
import { findMessage, type StoredMessage } from './message-store.ts'
import { getPartnerById, type Partner } from './partner-queries.ts'
import type { ReadMessage } from './read-message.ts'
import { readFhir, readHl7 } from './read-message.ts'
import { suggestMeanings } from './resolve-codes.ts'
import { previewOf, resolveOrder } from './resolve-order.ts'
import { type Candidate, listPhysicians } from './resolve-people.ts'

type Shown = Pick<
  InterfaceMessageDetail,
  'fields' | 'preview' | 'problems' | 'suggestions' | 'candidates' | 'physicians' | 'clientId'
>

const nothing: Shown = {
  fields: [],
  preview: null,
  problems: [],
  suggestions: [],
  candidates: [],
  physicians: [],
  clientId: null,
}

/** A message with everything that a person needs to decide about it. */
export const getMessageDetail = async (db: Db, tools: MessageTools, id: number): Promise<InterfaceMessageDetail> => {
  const [row, stored] = await Promise.all([findMessageRow(db, id), findMessage(db, id)])
  if (!row || !stored) throw notFound('Message')
  const raw = stored.raw && decryptRaw(tools, stored.raw)
  const [shown, sameCause] = await Promise.all([
    raw ? showMessage(db, tools, stored, raw) : { ...nothing, problems: stored.problems },
    listSameCauseIds(db, id),
  ])
  return {
    ...row,
    rawMessage: raw ? textOf(stored, raw) : await findWebhookBody(db, stored),
    answer: stored.answer?.replace(/\r\n?/g, '\n') ?? null,
    sameCauseCount: sameCause.length,
    ...shown,
  }
}

const textOf = ({ kind }: StoredMessage, raw: Buffer): string =>
  (kind === 'HL7' ? (parseMessage(raw)?.text ?? raw.toString('latin1')) : raw.toString('utf8')).replace(/\r\n?/g, '\n')

/** The body of a webhook is stored with its delivery: it contains no patient data. */
const findWebhookBody = async (db: Db, { id, kind }: StoredMessage): Promise<string | null> => {
  if (kind !== 'WEBHOOK') return null
  const { rows } = await sql<{ body: string }>`select body from webhook_delivery where message_id = ${id}`.execute(db)
  return rows[0]?.body ?? null
}

const showBundle = async (db: Db, tools: MessageTools, stored: StoredMessage, raw: Buffer): Promise<Shown> => {
  const fields = describeBundle(raw)
  if (stored.partner_id === null || stored.state === 'REJECTED')
    return { ...nothing, fields, problems: stored.problems }
  const partner = await getPartnerById(db, stored.partner_id)
  return { ...nothing, fields, ...(await explain(db, stored, partner, readFhir(tools, raw))) }
}

const showMessage = async (db: Db, tools: MessageTools, stored: StoredMessage, raw: Buffer): Promise<Shown> => {
  if (stored.kind === 'FHIR') return showBundle(db, tools, stored, raw)
  const message = stored.kind === 'HL7' ? parseMessage(raw) : null
  if (!message) return { ...nothing, problems: stored.problems }
  const fields = describeFields(message)
  const isReadable = stored.direction === 'IN' && stored.partner_id !== null && stored.state !== 'REJECTED'
  if (!isReadable || contentFaults(message, readHeader(message)).length > 0)
    return { ...nothing, fields, problems: stored.problems }
  const partner = await getPartnerById(db, stored.partner_id as number)
  return { ...nothing, fields, ...(await explain(db, stored, partner, readHl7(message))) }
}

/** For a held message processed again: codes and people may have been added since. */
const explain = async (
  db: Db,
  stored: StoredMessage,
  partner: Partner,
  read: ReadMessage,
): Promise<Omit<Shown, 'fields'>> => {
  if (!read.order)
    return {
      ...nothing,
      problems: stored.problems,
      preview: patientPreview(read),
      candidates: await describe(db, known(stored)),
    }
  const { order } = read
  const resolved = await resolveOrder(db, partner, order, stored.choices)
  const isOpen = stored.state === 'HELD' || stored.state === 'FAILED'
  // What a service has refused is only known from the processing.
  const problems: Problem[] =
    isOpen && resolved.problems.length > 0 && order.control !== 'CA' ? resolved.problems : stored.problems
  return {
    problems,
    preview: previewOf(order, resolved),
    suggestions: isOpen ? await suggestMeanings(db, partner.id, order.tests, resolved.unknown) : [],
    candidates: isOpen ? await describe(db, resolved.candidates) : [],
    physicians:
      isOpen && resolved.client
        ? (await listPhysicians(db, resolved.client.id)).map(({ id, name, npi }) => ({
            physId: id,
            physName: name,
            physNpi: npi,
          }))
        : [],
    clientId: resolved.client?.id ?? null,
  }
}

const known = ({ patient_id: id, state }: StoredMessage): Candidate[] =>
  id !== null && state === 'HELD' ? [{ patientId: id, why: 'same MRN' }] : []

const patientPreview = (read: ReadMessage): MessagePreview | null => {
  if (!read.patient) return null
  const { patient, givenUp } = read.patient
  return {
    action: givenUp ? 'Merge of patients' : 'Update of a patient',
    patientName: [patient.lastName, patient.firstName].filter(Boolean).join(', '),
    patientDob: patient.dob ?? null,
    patientId: null,
    clientName: null,
    physName: null,
    collectedDate: null,
    collectedTz: null,
    extOrderId: null,
    tests: [],
    icds: [],
    insurances: [],
    isStat: 0,
    isFasting: null,
  }
}

const describe = async (db: Db, candidates: readonly Candidate[]): Promise<InterfaceMessageDetail['candidates']> => {
  if (candidates.length === 0) return []
  const { rows } = await sql<InterfaceMessageDetail['candidates'][number]>`
    select p.id as "patientId", p.last_name || ', ' || p.first_name as "patientName", p.dob as "patientDob", p.gender_code as "patientGenderCode",
      concat_ws(', ', p.city, s.code) as "patientCity", w.why
    from unnest(${candidates.map(({ patientId }) => patientId)}::bigint[], ${candidates.map(({ why }) => why)}::text[]) with ordinality as w(id, why, place)
      join patient p on p.id = w.id and p.deleted_at is null left join state s on s.id = p.state_id order by w.place`.execute(
    db,
  )
  return rows
}
