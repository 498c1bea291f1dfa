import { fieldValue, findSegment, type Hl7Message, withoutControls } from '../../platform/hl7/message.ts'
import { fault, type Hl7Fault } from './hl7-faults.ts'
import { isVersionAccepted } from './hl7-versions.ts'

export interface Header {
  sendingApp: string
  sendingFacility: string
  /** MSH-9.1 and MSH-9.2. */
  type: string
  event: string
  controlId: string
  processingId: string
  version: string
}

/** Message types that are accepted, with their events. */
const acceptedEvents: Record<string, readonly string[]> = {
  ORM: ['O01'],
  OML: ['O21'],
  ADT: ['A04', 'A08', 'A31', 'A40'],
}

export const readHeader = (message: Hl7Message): Header => {
  const msh = findSegment(message, 'MSH')
  // The sender is looked up before the encoding of its message is checked.
  const value = (field: number, component = 1) => withoutControls(fieldValue(message, msh, field, component))
  return {
    sendingApp: value(3),
    sendingFacility: value(4),
    type: value(9),
    event: value(9, 2),
    controlId: value(10),
    processingId: value(11),
    version: value(12),
  }
}

interface Sender {
  is_test: boolean
}

/** Errors in the header for which the message is refused (AR). `sender` is null without an active partner. */
export const headerFaults = (header: Header, sender: Sender | null): Hl7Fault[] => {
  const events = acceptedEvents[header.type]
  const isTestMode = ['T', 'D'].includes(header.processingId)
  return [
    ...(sender ? [] : [fault(204, 'MSH', 1, 3, 'No active interface has this sending application and facility')]),
    ...(events ? [] : [fault(200, 'MSH', 1, 9)]),
    ...(events && !events.includes(header.event) ? [fault(201, 'MSH', 1, 9)] : []),
    ...(header.controlId === '' ? [fault(101, 'MSH', 1, 10)] : []),
    ...(header.processingId === 'P' || (isTestMode && (sender === null || sender.is_test))
      ? []
      : [fault(202, 'MSH', 1, 11)]),
    ...(isVersionAccepted(header.version) ? [] : [fault(203, 'MSH', 1, 12)]),
  ]
}

/** A test message is processed completely but has no effect. */
export const isTestMessage = ({ processingId }: Header): boolean => processingId !== 'P'
