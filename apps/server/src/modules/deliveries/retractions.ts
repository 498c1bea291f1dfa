import { sql } from 'kysely'
import type { Sql } from '../../platform/lists.ts'
import { messagesIn } from '../../platform/messaging/mllp-transport.ts'
import { hl7Text, hl7Timestamp } from './oru.ts'

/** The text of an HL7 message, or of several, that a receiver has got, or may have. */
export interface SentMessage {
  body: string
  /** Acknowledged; else nobody knows. */
  is_acknowledged: boolean
}

/** The number of the patient whom the report in such a text is about: those before it are taken back. */
export const lastPatientId = (body: Sql) => sql<string>`substring(${body} from '.*\\rPID\\|1\\|\\|(\\d+)\\^')`

interface Chart {
  head: string[][]
  /** By the name of the test, and of the document. */
  observations: Map<string, string[]>
}

/**
 * For each patient under whom a receiver has results of a requisition that is about another one by now, a message that takes all of them
 * back. It is made of what was sent to that receiver, under the name and the order number of then: it can hold nothing of the patient
 * of now. Earlier messages are given from the first to the last.
 */
export const retractionMessages = (
  earlier: readonly SentMessage[],
  { patientId, receiver, sentAt }: { patientId: number; receiver: string; sentAt: Date },
): string[] => {
  const charts = new Map<string, Chart>()
  for (const { body, is_acknowledged } of earlier)
    for (const message of messagesIn(body)) addToCharts(charts, message, is_acknowledged)
  charts.delete(String(patientId))
  return [...charts.values()].map((chart) => retractionMessage(chart, receiver, hl7Timestamp(sentAt.toISOString())))
}

const addToCharts = (charts: Map<string, Chart>, message: string, isTaken: boolean) => {
  const segments = message.split('\r').map((segment) => segment.split('|'))
  const patient = segments.find(([name]) => name === 'PID')?.[3]?.split('^')[0] ?? ''
  const said = segments.filter(([name]) => name === 'OBX')
  // A report has its document: this one took back.
  if (said.every((obx) => obx[11] === 'W')) {
    if (isTaken) charts.delete(patient)
    return
  }
  const observations = new Map(charts.get(patient)?.observations)
  for (const obx of said) observations.set(obx[3] ?? '', obx)
  const head = segments.filter(([name = '']) => ['MSH', 'PID', 'ORC', 'OBR'].includes(name))
  charts.set(patient, { head, observations })
}

/** Why it is corrected is not said here: those who typed it may have named the other patient. */
const retractionNote = 'Reported for this patient in error: these results are of somebody else and are withdrawn.'

const retractionMessage = ({ head, observations }: Chart, receiver: string, now: string) => {
  const anew: Record<string, [place: number, text: string][]> = {
    MSH: [
      [5, hl7Text(receiver)],
      [6, now],
    ],
    OBR: [
      [22, now],
      [25, 'C'],
    ],
  }
  const withdrawn = [...observations.values()].map((obx, index) => [
    'OBX',
    String(index + 1),
    ...obx.slice(2, 4),
    ...Array<string>(7).fill(''),
    'W',
  ])
  return [
    ...head.map((segment) =>
      (anew[segment[0] ?? ''] ?? []).reduce((all, [place, text]) => all.with(place, text), segment),
    ),
    ['NTE', '1', 'L', hl7Text(retractionNote)],
    ...withdrawn,
  ]
    .map((segment) => `${segment.join('|')}\r`)
    .join('')
}
