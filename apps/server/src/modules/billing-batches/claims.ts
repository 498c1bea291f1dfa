import { dayAt, wallTimeAt } from '@lis/contract/zoned-time.ts'
import type { Charge } from '../billing/queries.ts'
import { type BillInsurance, type BillItem, type BillPerson, itemAmount } from './bill-item.ts'
import { claimZip, claimText as clean, homeCountry } from './claim-text.ts'
import { holderName, isHeldBy } from './policy-holder.ts'

/** The laboratory as a biller, and its clearing house. */
export interface BillingProvider {
  name: string
  npi: string
  taxId: string
  /** The CLIA certificate number for claims of a laboratory whose record has none. */
  clia: string
  address: string
  city: string
  state: string
  zip: string
  phone: string
  submitterId: string
  receiverName: string
  receiverId: string
  /** Where invoices are to be paid, as text. */
  payTo: string
  /** Days until an invoice is due. */
  dueDays: number
}

/** When the files of a batch are made, in the laboratory's zone. */
export interface FileTime {
  instant: Date
  zone: string
}

type Element = string | number
type Segment = Element[]

const version = '005010X222A1'
const filing: Record<string, string> = { MEDICARE: 'MB', MEDICAID: 'MC', INSURANCE: 'CI' }
const relations: Record<string, string> = { SPOUSE: '01', DEP: '19', GUARD: '19', PARENT: '19' }
const orders = ['P', 'S', 'T', 'A']

/** An X12 837P claim file (005010X222A1) of one batch: one interchange, one group, one transaction. A draft is marked as a test. */
export const writeClaims = (
  provider: BillingProvider,
  batchId: number,
  at: FileTime,
  items: readonly BillItem[],
  isDraft = false,
): string => {
  const control = String(batchId).padStart(9, '0')
  const { day, time } = stamp(at)
  const body = transaction(provider, { control, day, time }, items)
  const envelope: Segment[] = [
    [
      'ISA',
      '00',
      ' '.repeat(10),
      '00',
      ' '.repeat(10),
      'ZZ',
      padId(provider.submitterId),
      'ZZ',
      padId(provider.receiverId),
      day.slice(2),
      time,
      '^',
      '00501',
      control,
      '0',
      isDraft ? 'T' : 'P',
      ':',
    ],
    ['GS', 'HC', clean(provider.submitterId), clean(provider.receiverId), day, time, batchId, 'X', version],
    ...body,
    ['GE', 1, batchId],
    ['IEA', 1, control],
  ]
  return envelope.map(print).join('\n')
}

/** CCYYMMDD and HHMM in the sender's local time, as the implementation guide requires. */
const stamp = ({ instant, zone }: FileTime) => {
  const { hours, minutes } = wallTimeAt(instant, zone)
  const time = [hours, minutes].map((part) => String(part).padStart(2, '0')).join('')
  return { day: date(dayAt(instant, zone)), time }
}

const padId = (id: string) => clean(id).slice(0, 15).padEnd(15)

/** Empty elements at the end are left out. */
const print = (segment: Segment): string => {
  const elements = segment.map(String)
  // ISA has fixed widths, so its blanks stay.
  if (elements[0] !== 'ISA') while (elements.at(-1) === '') elements.pop()
  return `${elements.join('*')}~`
}

const date = (iso: string) => iso.replaceAll('-', '')
const sex = (gender: string) => ({ MALE: 'M', FEMALE: 'F' })[gender] ?? 'U'

interface Control {
  control: string
  day: string
  time: string
}

const transaction = (provider: BillingProvider, { control, day, time }: Control, items: readonly BillItem[]) => {
  const short = control.slice(-4).padStart(4, '0')
  const segments: Segment[] = [
    ['ST', '837', short, version],
    ['BHT', '0019', '00', control, day, time, 'CH'],
    ['NM1', '41', '2', clean(provider.name), '', '', '', '', '46', clean(provider.submitterId)],
    ['PER', 'IC', clean(provider.name), 'TE', provider.phone],
    ['NM1', '40', '2', clean(provider.receiverName), '', '', '', '', '46', clean(provider.receiverId)],
    ['HL', 1, '', '20', 1],
    ['NM1', '85', '2', clean(provider.name), '', '', '', '', 'XX', provider.npi],
    ['N3', clean(provider.address)],
    ['N4', clean(provider.city), clean(provider.state), provider.zip.replace(/\D/g, '')],
    ['REF', 'EI', provider.taxId],
  ]
  let level = 1
  for (const item of items) {
    const claimed = claim(provider, item, level + 1)
    segments.push(...claimed.segments)
    level = claimed.lastLevel
  }
  segments.push(['SE', segments.length + 1, short])
  return segments
}

const claim = (
  provider: BillingProvider,
  item: BillItem,
  level: number,
): { segments: Segment[]; lastLevel: number } => {
  const [primary, ...others] = [...item.insurances].sort((one, other) => one.billingOrder - other.billingOrder)
  if (!primary) throw new Error(`Requisition ${item.reqId} has no insurance`)
  const isSelf = isHeldBy(primary, item.patient)
  const subscriber: Segment[] = [
    ['HL', level, 1, '22', isSelf ? 0 : 1],
    ['SBR', 'P', isSelf ? '18' : '', clean(primary.groupNo), '', '', '', '', '', filingOf(primary, item)],
    ...(isSelf ? person('IL', item.patient, primary.policyNo) : [holder(primary, item.patient)]),
    ['NM1', 'PR', '2', clean(primary.company), '', '', '', '', 'PI', clean(primary.companyNo)],
  ]
  const patient: Segment[] = isSelf
    ? []
    : [
        ['HL', level + 1, level, '23', 0],
        ['PAT', relations[item.relationTypeCode] ?? 'G8'],
        ...person('QC', item.patient, null),
      ]
  return {
    segments: [...subscriber, ...patient, ...services(provider, item, others)],
    lastLevel: isSelf ? level : level + 1,
  }
}

const services = (provider: BillingProvider, item: BillItem, others: readonly BillInsurance[]): Segment[] => [
  ['CLM', item.reqId, itemAmount(item) ?? '', '', '', '81:B:1', 'Y', 'A', 'Y', 'Y'],
  ['REF', 'X4', ownClia(provider, item)],
  ['HI', ...item.icdCodes.slice(0, 12).map((code, index) => `${index === 0 ? 'ABK' : 'ABF'}:${code.replace('.', '')}`)],
  [
    'NM1',
    'DN',
    '1',
    clean(item.physician.lastName),
    clean(item.physician.firstName),
    '',
    '',
    '',
    'XX',
    item.physician.npi,
  ],
  ...others.flatMap((other) => otherSubscriber(other, item)),
  ...item.charges.flatMap((charge, index): Segment[] => [
    ['LX', index + 1],
    ['SV1', procedure(charge, item.charges.slice(0, index)), charge.amount ?? '', 'UN', 1, '', '', pointers(item)],
    ['DTP', '472', 'D8', date(item.serviceDate)],
    ['REF', '6R', `${item.reqId}-${charge.testId}`],
    ...performedBy(provider, item, charge),
  ]),
]

const ownClia = ({ clia }: BillingProvider, { lab }: BillItem) => lab.clia ?? clia

/** Where lines were performed by different laboratories, each names its own; a line referred out names ours too (REF F4, referring CLIA number). */
const performedBy = (provider: BillingProvider, item: BillItem, { testId }: Charge): Segment[] => {
  const billed = new Set(item.charges.map((charge) => charge.testId))
  const referred = item.referred.filter((other) => billed.has(other.testId))
  if (referred.length === 0) return []
  const own = ownClia(provider, item)
  const other = referred.find((line) => line.testId === testId)
  if (!other) return [['REF', 'X4', own]]
  return [...(other.clia === null ? [] : [['REF', 'X4', other.clia]]), ['REF', 'F4', own]]
}

/** Codes for unlisted procedures; the line then has a description of the test. */
const unlistedProcedures = new Set([
  '80299',
  '81099',
  '81479',
  '81599',
  '84999',
  '85999',
  '86849',
  '86999',
  '87999',
  '88199',
  '88299',
  '88399',
  '89240',
])

/**
 * SV101. Of several lines with one code, the later ones have a modifier to show that they are no mistake: 91 for the same test again, 59
 * for another test with the same code.
 */
const procedure = ({ cptCode, testId, testDesc }: Charge, before: readonly Charge[]): string => {
  const same = before.filter((other) => other.cptCode === cptCode)
  const modifier = same.some((other) => other.testId === testId) ? '91' : same.length > 0 ? '59' : ''
  const words = cptCode !== null && unlistedProcedures.has(cptCode) ? clean(testDesc).slice(0, 80) : ''
  return ['HC', cptCode, modifier, '', '', '', words].join(':').replace(/:+$/, '')
}

/** A line refers to at most four diagnoses. */
const pointers = ({ icdCodes }: BillItem) =>
  icdCodes
    .slice(0, 4)
    .map((_, index) => index + 1)
    .join(':')

const otherSubscriber = (other: BillInsurance, item: BillItem): Segment[] => [
  [
    'SBR',
    orders[other.billingOrder - 1] ?? 'U',
    isHeldBy(other, item.patient) ? '18' : 'G8',
    clean(other.groupNo),
    '',
    '',
    '',
    '',
    '',
    filingOf(other, item),
  ],
  ['OI', '', '', 'Y', '', '', 'Y'],
  holder(other, item.patient),
  ['NM1', 'PR', '2', clean(other.company), '', '', '', '', 'PI', clean(other.companyNo) || 'UNKNOWN'],
]

const filingOf = ({ billTypeCode }: BillInsurance, item: BillItem) =>
  filing[billTypeCode ?? item.billTypeCode ?? ''] ?? 'CI'

const person = (role: 'IL' | 'QC', patient: BillPerson, memberNo: string | null): Segment[] => [
  [
    'NM1',
    role,
    '1',
    clean(patient.lastName),
    clean(patient.firstName),
    clean(patient.middleName),
    '',
    '',
    memberNo === null ? '' : 'MI',
    clean(memberNo),
  ],
  ['N3', clean(patient.addr1), clean(patient.addr2)],
  ['N4', clean(patient.city), ...placeOf(patient)],
  ['DMG', 'D8', date(patient.dob), sex(patient.gender)],
]

/** Only addresses in the United States and Canada have a state; all but those in the United States have a country (ISO 3166). */
const placeOf = ({ state, zip, country }: BillPerson): Element[] => {
  if (country === null || country === homeCountry) return [clean(state), claimZip(zip)]
  return [country === 'CA' ? clean(state) : '', claimZip(zip), country]
}

const holder = (insurance: BillInsurance, patient: BillPerson): Segment => {
  const { last, first, suffix } = holderName(insurance, patient)
  return ['NM1', 'IL', '1', clean(last), clean(first), '', '', suffix, 'MI', clean(insurance.policyNo)]
}
