import {
  componentOf,
  fieldValue,
  findSegment,
  type Hl7Message,
  parseMessage,
  rawField,
  repetitions,
  type Segment,
} from '../../platform/hl7/message.ts'
import { flagsOf, type MeasuredResult } from '../instrument-results/measured.ts'
import type { ReadMessage, ReadOptions } from './read-message.ts'

interface Group {
  spm: Segment | undefined
  obr: Segment | undefined
  inv: Segment | undefined
  /** Comments on the specimen or the order, which concern all its results. */
  notes: Segment[]
}

/**
 * The results of ORU^R01 or OUL^R22. In OUL the specimen comes before its orders, in ORU after the observations of an order; a
 * container or lot (INV) belongs to the specimen or order before it.
 */
export const readHl7 = (text: string, { toInstant }: ReadOptions): ReadMessage => {
  const message = parseMessage(Buffer.from(text))
  if (!message) return { sentAt: '', results: [] }
  const isSpecimenFirst = fieldValue(message, findSegment(message, 'MSH'), 9, 1) === 'OUL'
  const found: { group: Group; obx: Segment; notes: Segment[] }[] = []
  let group: Group = { spm: undefined, obr: undefined, inv: undefined, notes: [] }
  /** Of the specimen in OUL, and of the latest order. */
  let specimenNotes: Segment[] = []
  let notes: Segment[] = []
  for (const segment of message.segments) {
    switch (segment.name) {
      case 'PID':
        notes = []
        break
      case 'SPM':
        if (isSpecimenFirst) {
          group = { spm: segment, obr: undefined, inv: undefined, notes: [] }
          specimenNotes = group.notes
        } else group.spm = segment
        notes = group.notes
        break
      case 'OBR':
        // A new object, because earlier results keep theirs.
        group = {
          spm: isSpecimenFirst ? group.spm : undefined,
          obr: segment,
          inv: isSpecimenFirst ? group.inv : undefined,
          notes: [...specimenNotes],
        }
        notes = group.notes
        break
      case 'INV':
        group.inv = segment
        break
      case 'OBX':
        notes = []
        found.push({ group, obx: segment, notes })
        break
      case 'NTE':
        notes.push(segment)
        break
    }
  }
  return {
    sentAt: rawField(findSegment(message, 'MSH'), 7),
    results: found.map(({ group: of, obx, notes: own }) =>
      readResult(message, of, obx, [...of.notes, ...own], toInstant),
    ),
  }
}

const readResult = (
  message: Hl7Message,
  { spm, obr, inv }: Group,
  obx: Segment,
  notes: readonly Segment[],
  toInstant: ReadOptions['toInstant'],
): MeasuredResult => {
  const first = (segment: Segment | undefined, field: number) => fieldValue(message, segment, field)
  const abnormal = repetitions(message, obx, 8).map((repetition) => componentOf(message, repetition, 1))
  const completedAt = rawField(obx, 19).trim()
  return {
    specimenId: specimenOf(message, spm) || first(obr, 3) || first(obr, 2),
    isControl: first(spm, 11).toUpperCase() === 'Q',
    code: first(obx, 3) || fieldValue(message, obx, 3, 4),
    value: measuredValue(message, obx),
    units: first(obx, 6) || null,
    // Type I of table 0364 is a comment of the instrument.
    flags: flagsOf(
      abnormal,
      notes.filter((note) => first(note, 4).toUpperCase() === 'I').map((note) => first(note, 3)),
    ),
    abnormalFlag: abnormal.filter(Boolean).join(' ') || null,
    status: first(obx, 11).toUpperCase(),
    operator: first(obx, 16) || null,
    reagentLot: first(inv, 16) || null,
    measuredAt: toInstant(completedAt) ?? toInstant(rawField(obx, 14)),
    completedAt,
    rawRecord: [obx.name, ...obx.fields].join(message.delimiters.field),
  }
}

/** SPM-2: a pair of numbers of placer and filler, each with subcomponents. */
const specimenOf = (message: Hl7Message, spm: Segment | undefined): string =>
  fieldValue(message, spm, 2, 1) || fieldValue(message, spm, 2, 2)

/** SN is a structured number: comparator, number, separator, number. */
const measuredValue = (message: Hl7Message, obx: Segment): string => {
  const [repetition = ''] = repetitions(message, obx, 5)
  const count = fieldValue(message, obx, 2).toUpperCase() === 'SN' ? 4 : 1
  return Array.from({ length: count }, (_, index) => componentOf(message, repetition, index + 1))
    .join('')
    .trim()
}
