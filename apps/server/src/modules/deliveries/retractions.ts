import { messagesIn } from '../../platform/messaging/mllp-transport.ts'
import { hl7Text, hl7Timestamp } from './oru.ts'

/** The text of one or several HL7 messages that a recipient has received, or may have. */
export interface SentMessage {
  body: string
  /** Otherwise the outcome is unknown. */
  is_acknowledged: boolean
}

interface Chart {
  head: string[][]
  /** By OBX-3, the test or document. */
  observations: Map<string, string[]>
}

/**
 * When a requisition gets another patient, its results have to be withdrawn from the charts of the former ones. One message for each
 * patient other than the present one under whom this recipient holds results, built only from what was sent to the recipient, so it
 * cannot contain anything about the present patient. `earlier` is in sending order.
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

/** Beside the number of a partner there is ours. */
const ownNumber = (identifiers: string) => /(?:^|~)(\d+)\^\^\^LIS\^/.exec(identifiers)?.[1] ?? ''

const addToCharts = (charts: Map<string, Chart>, message: string, isTaken: boolean) => {
  const segments = message.split('\r').map((segment) => segment.split('|'))
  const patient = ownNumber(segments.find(([name]) => name === 'PID')?.[3] ?? '')
  const results = segments.filter(([name]) => name === 'OBX')
  // A report always contains its document; a message with withdrawn results only is a retraction.
  if (results.every((obx) => obx[11] === 'W')) {
    if (isTaken) charts.delete(patient)
    return
  }
  const observations = new Map(charts.get(patient)?.observations)
  for (const obx of results) observations.set(obx[3] ?? '', obx)
  const head = segments.filter(([name = '']) => ['MSH', 'PID', 'ORC', 'OBR'].includes(name))
  charts.set(patient, { head, observations })
}

/** Without the reason of the correction: its text may name the other patient. */
const retractionNote = 'Reported for this patient in error: these results are of somebody else and are withdrawn.'

const retractionMessage = ({ head, observations }: Chart, receiver: string, now: string) => {
  const replacements: Record<string, [place: number, text: string][]> = {
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
      (replacements[segment[0] ?? ''] ?? []).reduce((all, [place, text]) => all.with(place, text), segment),
    ),
    ['NTE', '1', 'L', hl7Text(retractionNote)],
    ...withdrawn,
  ]
    .map((segment) => `${segment.join('|')}\r`)
    .join('')
}
