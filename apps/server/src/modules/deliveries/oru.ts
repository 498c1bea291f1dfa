import { DateTime } from 'luxon'
import { attachmentPlaceholder, referencePlaceholder } from '../../platform/messaging/mllp-transport.ts'
import { joinTexts, type NamedTest, type ReportContent, type ReportResult } from '../reports/content.ts'
import { notesOf } from '../reports/content-text.ts'
import type { PartnerItem, PartnerOrder } from './partner-orders.ts'

export interface OruInput {
  /** The Client ID or alias of the recipient, who need not be the ordering client. */
  receiver: string
  content: ReportContent
  versionNo: number
  correctionReason: string | null
  sentAt: Date
  /** Of an order that came over an interface: the results go back under its codes and placer numbers. */
  partnerOrder?: PartnerOrder | null
}

/**
 * HL7 v2.5.1 ORU^R01: every result of the version as its own OBX, then those that a correction withdraws, then the PDF. The transport
 * fills in the control id and the document, so the stored text stays readable.
 */
export const oruMessage = ({
  receiver,
  content,
  versionNo,
  correctionReason,
  sentAt,
  partnerOrder = null,
}: OruInput): string => {
  const { patient, physician, lab, requisitionId, pending, withdrawn = [] } = content
  const results = content.results.map((result) => withNotes(result, lab.zone))
  const isCorrected = versionNo > 1
  const status = isCorrected ? 'C' : pending.length > 0 ? 'P' : 'F'
  const now = hl7Timestamp(sentAt.toISOString())
  const { last, first, middle } = patient.names ?? namesIn(patient.name)
  const { groups, rest } = groupByItem(partnerOrder?.items ?? [], results, withdrawn)
  const placer = partnerOrder?.items[0]?.placer ?? content.extOrderId ?? ''
  const order = [hl7Text(placer), `${requisitionId}^LIS`]
  const request = (index: number, numbers: string[], code: string, state: string) => [
    'OBR',
    String(index),
    ...numbers,
    code,
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
    state,
  ]
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
      hl7Text(partnerOrder?.app ?? ''),
      hl7Text(partnerOrder?.facility ?? receiver),
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
      partnerOrder?.identifier
        ? `${hl7Text(partnerOrder.identifier)}^^^${authorityText(partnerOrder.authority)}^MR~${patient.id}^^^LIS^PI`
        : `${patient.id}^^^LIS^PI`,
      '',
      [last, first, middle ?? ''].map(hl7Text).join('^').replace(/\^$/, ''),
      '',
      patient.dob.replaceAll('-', ''),
      patient.sex === 'MALE' ? 'M' : 'F',
    ],
    ...groups.flatMap(({ item, results: own, withdrawn: gone }, index) => [
      ['ORC', 'RE', hl7Text(item.placer), `${requisitionId}^LIS`],
      request(
        index + 1,
        [hl7Text(item.placer), `${requisitionId}^LIS`],
        itemCode(item),
        own.length < item.testCodes.length ? 'P' : status,
      ),
      ...observations(own, gone, isCorrected, partnerOrder),
    ]),
    ['ORC', 'RE', ...order],
    request(groups.length + 1, order, '11502-2^Laboratory report^LN', status),
    ...notes.map((note, index) => ['NTE', String(index + 1), 'L', hl7Text(note)]),
    ...observations(rest.results, rest.withdrawn, isCorrected, partnerOrder),
    [
      'OBX',
      String(rest.results.length + rest.withdrawn.length + 1),
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

/** Namespace, universal id and its type are subcomponents, as the partner has sent them. */
const authorityText = (authority: string) => authority.split('&').map(hl7Text).join('&')

interface ItemGroup {
  item: PartnerItem
  results: ReportResult[]
  withdrawn: NamedTest[]
}

/** The results of each ordered test or panel; what was ordered in no message stays with the report itself. */
const groupByItem = (
  items: readonly PartnerItem[],
  results: readonly ReportResult[],
  withdrawn: readonly NamedTest[],
): { groups: ItemGroup[]; rest: Omit<ItemGroup, 'item'> } => {
  const taken = new Set<string>()
  const groups = items.map((item): ItemGroup => {
    const codes = item.testCodes.filter((code) => !taken.has(code))
    for (const code of codes) taken.add(code)
    const isOwn = ({ code }: NamedTest) => codes.includes(code)
    return { item: { ...item, testCodes: codes }, results: results.filter(isOwn), withdrawn: withdrawn.filter(isOwn) }
  })
  const isLeft = ({ code }: NamedTest) => !taken.has(code)
  return { groups, rest: { results: results.filter(isLeft), withdrawn: withdrawn.filter(isLeft) } }
}

/** As the partner has sent it. */
const itemCode = ({ code, name, system }: PartnerItem) => [code, name || code, system || 'L'].map(hl7Text).join('^')

const withNotes = (result: ReportResult, zone: string): ReportResult => ({
  ...result,
  comment: joinTexts(notesOf(result, zone)) || null,
})

const observations = (
  results: readonly ReportResult[],
  withdrawn: readonly NamedTest[],
  isCorrected: boolean,
  partnerOrder: PartnerOrder | null,
): string[][] => [
  ...results.flatMap((result, index) => observation(result, index + 1, isCorrected ? 'C' : 'F', partnerOrder)),
  ...withdrawn.map((test, index) => withoutValue(test, results.length + index + 1, 'W', partnerOrder)),
]

const observation = (
  result: ReportResult,
  index: number,
  status: 'C' | 'F',
  partnerOrder: PartnerOrder | null,
): string[][] => {
  const isNumber = /^-?\d+(\.\d+)?$/.test(result.value)
  const obx = result.value
    ? [
        'OBX',
        String(index),
        isNumber ? 'NM' : 'ST',
        codeOf(result, partnerOrder),
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
    : withoutValue(result, index, 'X', partnerOrder)
  const notes = [result.interpretation, result.comment, result.failReasons].filter((note) => note !== null)
  return [obx, ...notes.map((note, place) => ['NTE', String(place + 1), 'L', hl7Text(note)])]
}

/** Our LOINC, and as the alternate the partner's own code; for everybody else ours. */
const codeOf = ({ loinc, code, name }: NamedTest, partnerOrder: PartnerOrder | null) => {
  const single = partnerOrder?.items.find(({ testCodes }) => testCodes.length === 1 && testCodes[0] === code)
  const own = single ? itemCode(single) : [partnerOrder?.names[code] ?? code, name, 'L'].map(hl7Text).join('^')
  return loinc ? `${loinc}^${hl7Text(name)}^LN^${own}` : own
}

/** X: no result can be obtained; W: the one sent before is wrong or in doubt. */
const withoutValue = (
  test: NamedTest,
  index: number,
  status: 'X' | 'W',
  partnerOrder: PartnerOrder | null,
): string[] => ['OBX', String(index), 'ST', codeOf(test, partnerOrder), ...Array<string>(7).fill(''), status]

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
