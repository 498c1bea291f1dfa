import { DateTime } from 'luxon'
import { attachmentPlaceholder, referencePlaceholder } from '../../platform/messaging/mllp-transport.ts'
import type { NamedTest, ReportContent, ReportResult } from '../reports/content.ts'

export interface OruInput {
  /** The Client ID or alias of the recipient, who need not be the ordering client. */
  receiver: string
  content: ReportContent
  versionNo: number
  correctionReason: string | null
  sentAt: Date
}

/**
 * HL7 v2.5.1 ORU^R01: every result of the version as its own OBX, then those that a correction withdraws, then the PDF. The transport
 * fills in the control id and the document, so the stored text stays readable.
 */
export const oruMessage = ({ receiver, content, versionNo, correctionReason, sentAt }: OruInput): string => {
  const { patient, physician, lab, requisitionId, results, pending, withdrawn = [] } = content
  const isCorrected = versionNo > 1
  const status = isCorrected ? 'C' : pending.length > 0 ? 'P' : 'F'
  const now = hl7Timestamp(sentAt.toISOString())
  const { last, first, middle } = patient.names ?? namesIn(patient.name)
  const order = [hl7Text(content.extOrderId ?? ''), `${requisitionId}^LIS`]
  // Older contents do not say which version they replace.
  const replaced = content.replacesVersionNo ? `, replaces version ${content.replacesVersionNo}` : ''
  const notes = [
    ...(correctionReason ? [`Corrected report, version ${versionNo}${replaced}: ${correctionReason}`] : []),
    ...(content.changes ?? []),
    ...(content.comments ?? []),
  ]
  return [
    [
      'MSH',
      '^~\\&',
      'LIS',
      hl7Text(lab.name),
      '',
      hl7Text(receiver),
      now,
      '',
      'ORU^R01^ORU_R01',
      referencePlaceholder,
      'P',
      '2.5.1',
      '',
      '',
      'AL',
      'NE',
      '',
      'UNICODE UTF-8',
    ],
    [
      'PID',
      '1',
      '',
      `${patient.id}^^^LIS^PI`,
      '',
      [last, first, middle ?? ''].map(hl7Text).join('^').replace(/\^$/, ''),
      '',
      patient.dob.replaceAll('-', ''),
      patient.sex === 'MALE' ? 'M' : 'F',
    ],
    ['ORC', 'RE', ...order],
    [
      'OBR',
      '1',
      ...order,
      '11502-2^Laboratory report^LN',
      '',
      '',
      hl7Timestamp(content.collectedAt),
      '',
      '',
      '',
      '',
      '',
      '',
      content.receivedAt ? hl7Timestamp(content.receivedAt) : '',
      '',
      `${physician.npi}^${hl7Text(physician.name)}^^^^^^^NPI`,
      '',
      '',
      '',
      '',
      '',
      now,
      '',
      '',
      status,
    ],
    ...notes.map((note, index) => ['NTE', String(index + 1), 'L', hl7Text(note)]),
    ...results.flatMap((result, index) => observation(result, index + 1, isCorrected ? 'C' : 'F')),
    ...withdrawn.map((test, index) => withoutValue(test, results.length + index + 1, 'W')),
    [
      'OBX',
      String(results.length + withdrawn.length + 1),
      'ED',
      '11502-2^Laboratory report^LN',
      '',
      `^application^pdf^Base64^${attachmentPlaceholder}`,
      '',
      '',
      '',
      '',
      '',
      isCorrected ? 'C' : 'F',
    ],
  ]
    .map((segment) => `${segment.join('|')}\r`)
    .join('')
}

const observation = (result: ReportResult, index: number, status: 'C' | 'F'): string[][] => {
  const isNumber = /^-?\d+(\.\d+)?$/.test(result.value)
  const obx = result.value
    ? [
        'OBX',
        String(index),
        isNumber ? 'NM' : 'ST',
        codeOf(result),
        '',
        hl7Text(result.value),
        hl7Text(result.unit ?? ''),
        hl7Text(result.range),
        // 'N' only where the result is known to be normal: without a range the flag is empty.
        result.flag || (result.isNormal ? 'N' : ''),
        '',
        '',
        status,
      ]
    : withoutValue(result, index, 'X')
  const notes = [result.interpretation, result.comment, result.failReasons].filter((note) => note !== null)
  return [obx, ...notes.map((note, place) => ['NTE', String(place + 1), 'L', hl7Text(note)])]
}

const codeOf = ({ loinc, code, name }: NamedTest) =>
  loinc ? `${loinc}^${hl7Text(name)}^LN^${code}^${hl7Text(name)}^L` : `${code}^${hl7Text(name)}^L`

/** X: no result can be obtained; W: the one sent before is wrong or in doubt. */
const withoutValue = (test: NamedTest, index: number, status: 'X' | 'W'): string[] => [
  'OBX',
  String(index),
  'ST',
  codeOf(test),
  ...Array<string>(7).fill(''),
  status,
]

/** For older contents with only the full name, 'Last, First Middle': a best guess at its parts. */
const namesIn = (name: string) => {
  const [last = '', given = ''] = name.split(', ')
  const [first = '', ...middle] = given.split(' ')
  return { last, first, middle: middle.join(' ') }
}

export const hl7Timestamp = (iso: string) => `${DateTime.fromISO(iso, { zone: 'utc' }).toFormat('yyyyMMddHHmmss')}+0000`

const escapes: Record<string, string> = { '\\': '\\E\\', '|': '\\F\\', '^': '\\S\\', '&': '\\T\\', '~': '\\R\\' }

/** Escapes HL7 delimiters in text from users. Braces are replaced because they mark the transport's placeholders. */
export const hl7Text = (text: string) =>
  text
    .replace(/[\\|^&~]/g, (sign) => escapes[sign] ?? '')
    .replace(/\r\n|[\r\n]/g, '\\.br\\')
    .replaceAll('{', '(')
    .replaceAll('}', ')')
