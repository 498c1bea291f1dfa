import {
  componentOf,
  explicitNull,
  fieldValue,
  findSegment,
  type Hl7Message,
  rawField,
  repetitions,
  type Segment,
} from '../../platform/hl7/message.ts'
import { parseHl7Time } from '../../platform/hl7/timestamps.ts'
import { fault, type Hl7Fault } from './hl7-faults.ts'
import type { Header } from './hl7-header.ts'

/** An ORC with the segments that belong to it. */
export interface OrderGroup {
  orc: Segment
  tests: Segment[]
  /** TQ1, OBX, SPM, NTE … before and after the OBR: the standard has TQ1 before it. */
  details: Segment[]
}

const controls = ['NW', 'CA', 'XO'] as const
export type OrderControl = (typeof controls)[number]

/** Table 0001. */
const sexes = ['A', 'F', 'M', 'N', 'O', 'U']

/** Date and time fields that are read, by segment. */
const timeFields: Record<string, readonly number[]> = {
  MSH: [7],
  PID: [7],
  ORC: [9],
  OBR: [7],
  SPM: [17],
  TQ1: [7],
  IN1: [18],
  GT1: [8],
}
/** Segments whose first field is a set id. */
const numbered = ['PID', 'IN1', 'GT1', 'DG1', 'NTE', 'OBR', 'OBX', 'SPM', 'TQ1']

/** The orders of a message, in their order; segments before the first ORC belong to none. */
export const orderGroups = ({ segments }: Hl7Message): OrderGroup[] => {
  const groups: OrderGroup[] = []
  for (const segment of segments) {
    const group = groups.at(-1)
    if (segment.name === 'ORC') groups.push({ orc: segment, tests: [], details: [] })
    else if (segment.name === 'OBR') group?.tests.push(segment)
    else group?.details.push(segment)
  }
  return groups
}

/** Errors in the content (AE): the message does not have the required structure. */
export const contentFaults = (message: Hl7Message, header: Header): Hl7Fault[] => {
  const bytes = [
    ...(message.isCharsetUnknown ? [fault(103, 'MSH', 1, 18)] : []),
    ...(message.hasBadBytes ? [fault(102, 'MSH', 1, 18, 'There are bytes outside the character set')] : []),
  ]
  const structure = header.type === 'ADT' ? patientStructure(message, header) : orderStructure(message)
  return [...bytes, ...structure, ...message.segments.flatMap((segment) => typeFaults(message, segment))]
}

const patientStructure = (message: Hl7Message, { event }: Header): Hl7Fault[] => {
  const pid = findSegment(message, 'PID')
  const mrg = findSegment(message, 'MRG')
  const isMerge = event === 'A40'
  return [
    ...sequenceFaults(message),
    ...(pid ? patientFaults(message, pid) : [fault(100, 'PID')]),
    ...(isMerge && !mrg ? [fault(100, 'MRG')] : []),
    ...(isMerge && mrg && isEmpty(message, mrg, 1) ? [fault(101, 'MRG', 1, 1)] : []),
  ]
}

const orderStructure = (message: Hl7Message): Hl7Fault[] => {
  const pid = findSegment(message, 'PID')
  const groups = orderGroups(message)
  const asked = groups.map(({ orc }) => fieldValue(message, orc, 1))
  const first = asked.find((one) => one !== '')
  return [
    ...sequenceFaults(message),
    ...(pid ? patientFaults(message, pid) : [fault(100, 'PID')]),
    ...(groups.length === 0 ? [fault(100, 'ORC')] : []),
    ...groups.flatMap(({ orc, tests }) => orderFaults(message, orc, tests, first)),
  ]
}

/** One MSH and one PID; every ORC after the PID, every OBR after an ORC. */
const sequenceFaults = ({ segments }: Hl7Message): Hl7Fault[] => {
  const faults: Hl7Fault[] = []
  const seen = new Set<string>()
  const hasPid = segments.some(({ name }) => name === 'PID')
  const hasOrc = segments.some(({ name }) => name === 'ORC')
  for (const { name, sequence } of segments) {
    const isRepeated = (name === 'MSH' || name === 'PID') && seen.has(name)
    const isEarly = (name === 'ORC' && hasPid && !seen.has('PID')) || (name === 'OBR' && hasOrc && !seen.has('ORC'))
    if (isRepeated || isEarly) faults.push(fault(100, name, sequence))
    seen.add(name)
  }
  return faults
}

const patientFaults = (message: Hl7Message, pid: Segment): Hl7Fault[] => {
  const sex = fieldValue(message, pid, 8)
  return [
    ...(isEmpty(message, pid, 3) ? [fault(101, 'PID', pid.sequence, 3)] : []),
    ...(isEmpty(message, pid, 5) ? [fault(101, 'PID', pid.sequence, 5)] : []),
    ...(sex === '' || sex === explicitNull || sexes.includes(sex) ? [] : [fault(103, 'PID', pid.sequence, 8)]),
  ]
}

const orderFaults = (
  message: Hl7Message,
  orc: Segment,
  tests: readonly Segment[],
  first: string | undefined,
): Hl7Fault[] => {
  const control = fieldValue(message, orc, 1)
  const isKnown = controls.some((one) => one === control)
  return [
    ...(isEmpty(message, orc, 1) ? [fault(101, 'ORC', orc.sequence, 1)] : []),
    ...(control !== '' && control !== explicitNull && !isKnown ? [fault(103, 'ORC', orc.sequence, 1)] : []),
    ...(isKnown && control !== first
      ? [fault(103, 'ORC', orc.sequence, 1, 'All orders of a message have one order control')]
      : []),
    ...(isEmpty(message, orc, 2) ? [fault(101, 'ORC', orc.sequence, 2)] : []),
    ...(tests.length === 0 && control !== 'CA' ? [fault(100, 'OBR')] : []),
    ...tests.flatMap((obr) => testFaults(message, obr)),
  ]
}

const testFaults = (message: Hl7Message, obr: Segment): Hl7Fault[] => {
  const isNamed = [1, 4].some((component) => isGiven(fieldValue(message, obr, 4, component)))
  return isNamed ? [] : [fault(101, 'OBR', obr.sequence, 4)]
}

const isGiven = (value: string) => value !== '' && value !== explicitNull

/** No repetition of the field has a first component. */
const isEmpty = (message: Hl7Message, segment: Segment, field: number) =>
  !repetitions(message, segment, field).some((one) => isGiven(componentOf(message, one, 1)))

const typeFaults = (message: Hl7Message, segment: Segment): Hl7Fault[] => {
  const { name, sequence } = segment
  const wrong = (timeFields[name] ?? []).filter((field) => {
    const text = fieldValue(message, segment, field)
    return isGiven(text) && parseHl7Time(text) === null
  })
  const isCountWrong = numbered.includes(name) && !/^\d{0,9}$/.test(rawField(segment, 1).trim())
  const isNumberWrong =
    name === 'OBX' && rawField(segment, 2) === 'NM' && !/^([+-]?\d+(\.\d*)?)?$/.test(fieldValue(message, segment, 5))
  return [
    ...(isCountWrong ? [fault(102, name, sequence, 1)] : []),
    ...wrong.map((field) => fault(102, name, sequence, field)),
    ...(isNumberWrong ? [fault(102, name, sequence, 5)] : []),
  ]
}
