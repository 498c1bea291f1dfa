import { findSegment, type Hl7Message, parseMessage, type Segment } from '../../platform/hl7/message.ts'
import type { MessageTools } from '../../platform/messaging/raw-message.ts'
import { parseBundle } from './fhir-bundle.ts'
import { isTestBundle, readFhirOrder } from './fhir-order.ts'
import { isTestMessage, readHeader } from './hl7-header.ts'
import { readOrder } from './hl7-order.ts'
import { identifiersIn, readPatient } from './hl7-patient.ts'
import type { IncomingOrder } from './incoming-order.ts'
import type { StoredMessage } from './message-store.ts'
import type { PatientMessage } from './patient-message.ts'

/** A stored message, parsed for processing, whatever its format. */
export type ReadMessage = { isTest: boolean } & (
  | { order: IncomingOrder; patient?: undefined }
  | { patient: PatientMessage; order?: undefined }
)

/** Reads a message that was accepted for processing. */
export const readMessage = (tools: MessageTools, { kind }: Pick<StoredMessage, 'kind'>, raw: Buffer): ReadMessage => {
  if (kind === 'FHIR') return readFhir(tools, raw)
  if (kind !== 'HL7') throw new Error(`Messages of kind ${kind} are not processed`)
  const message = parseMessage(raw)
  if (!message) throw new Error('The stored message is no HL7 message')
  return readHl7(message)
}

export const readFhir = ({ config }: MessageTools, raw: Buffer): ReadMessage => {
  const parsed = parseBundle(JSON.parse(raw.toString('utf8')), config.publicUrl)
  if (parsed.faults) throw new Error('The stored message is no Bundle')
  return { isTest: isTestBundle(parsed.bundle), order: readFhirOrder(parsed.bundle) }
}

export const readHl7 = (message: Hl7Message): ReadMessage => {
  const header = readHeader(message)
  const isTest = isTestMessage(header)
  if (header.type !== 'ADT') return { isTest, order: readOrder(message) }
  const patient = readPatient(message, findSegment(message, 'PID') as Segment)
  const givenUp = header.event === 'A40' ? identifiersIn(message, findSegment(message, 'MRG'), 1) : null
  return { isTest, patient: { patient, givenUp } }
}
