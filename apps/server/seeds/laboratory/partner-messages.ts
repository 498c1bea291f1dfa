import { personName, phoneNumber, plainLetters, streetAddress } from './people.ts'
import { clientPlaces, type Place } from './places.ts'
import { Random, streams, weighted } from './random.ts'

/** The system of a practice: its name, who orders, and what. */
export interface PracticeSystem {
  /** MSH-3 and MSH-4. */
  app: string
  facility: string
  npi: string
  /** `last^first`. */
  physician: string
  /** OBR-4 of what it orders. */
  tests: readonly string[]
  /** MSH-11: P, or T for a test interface. */
  processing?: string
}

export const messageKinds = ['order', 'change', 'cancellation', 'patient', 'faulty'] as const
export type MessageKind = (typeof messageKinds)[number]

export interface PartnerMessage {
  kind: MessageKind
  controlId: string
  /** What is special about it, as text. */
  what: string
  text: string
}

interface OpenOrder {
  placer: string
  pid: string
  tests: string[]
}

export interface PartnerMessagesOptions {
  seed?: number
  /** Makes the numbers of this run differ from those of any other. */
  run: string
  now?: () => Date
}

const diagnoses = ['E11.9', 'I10', 'E78.5', 'N18.31', 'E03.9', 'Z00.00'] as const
const mostOpenOrders = 200

/** The messages of the system of one practice, in order; the same seed and run give the same messages. */
export const openPartnerMessages = (practice: PracticeSystem, options: PartnerMessagesOptions) => {
  const { seed = 1, run, now = () => new Date() } = options
  const random = new Random(seed, streams.partner, 1)
  const open: OpenOrder[] = []
  let serial = 0

  const message = (kind: MessageKind, type: string, segments: readonly string[], what: string): PartnerMessage => {
    const controlId = `${run}-${serial}`
    const header = `MSH|^~\\&|${practice.app}|${practice.facility}|LIS|LAB|${hl7Time(now())}||${type}|${controlId}|${practice.processing ?? 'P'}|2.5.1`
    return { kind, controlId, what, text: [header, ...segments].join('\r') }
  }

  const orderSegments = (control: string, { placer, pid, tests }: OpenOrder) => [
    pid,
    `DG1|1||${random.pick(diagnoses)}`,
    `ORC|${control}|${placer}||||||||||${practice.npi}^${practice.physician}^^^^^^NPI`,
    ...tests.map((test, index) => `OBR|${index + 1}|${placer}||${test}|||${collectedBefore(random, now())}`),
  ]

  /** A new order; `over` replaces its patient or its tests. */
  const order = (over: Partial<Pick<OpenOrder, 'pid' | 'tests'>> = {}): PartnerMessage => {
    serial++
    const tests = over.tests ?? pickTests(random, practice.tests)
    const made = { placer: `SO-${run}-${serial}`, pid: over.pid ?? newPatient(random, run, serial), tests }
    open.push(made)
    if (open.length > mostOpenOrders) open.shift()
    return message('order', 'ORM^O01', orderSegments('NW', made), `New order ${made.placer}`)
  }

  const change = (): PartnerMessage => {
    const known = open.at(-1)
    if (!known) return order()
    serial++
    known.tests = pickTests(random, practice.tests)
    return message('change', 'ORM^O01', orderSegments('XO', known), `Change of ${known.placer}`)
  }

  const cancel = (): PartnerMessage => {
    const known = open.pop()
    if (!known) return order()
    serial++
    return message('cancellation', 'ORM^O01', orderSegments('CA', known), `Cancellation of ${known.placer}`)
  }

  const patient = (): PartnerMessage => {
    const known = open.at(-1)
    if (!known) return order()
    serial++
    const fields = known.pid.split('|')
    fields[11] = addressOf(random, random.pick(clientPlaces))
    known.pid = fields.join('|')
    return message('patient', 'ADT^A08', [`EVN||${hl7Time(now())}`, known.pid], 'New address of a patient')
  }

  const faulty = (): PartnerMessage => {
    const { what, spoil } = random.pick(faults)
    const made = order()
    open.pop()
    return { ...made, kind: 'faulty', what, text: spoil(made.text) }
  }

  const make = { order, change, cancellation: cancel, patient, faulty }
  return {
    order,
    /** A message of one kind, or of a mix as a practice sends it. */
    next: (kind: MessageKind = random.draw(everyday)): PartnerMessage => make[kind](),
  }
}

const everyday = weighted<MessageKind>([
  ['order', 70],
  ['change', 8],
  ['cancellation', 6],
  ['patient', 8],
  ['faulty', 8],
])

interface Fault {
  what: string
  spoil: (text: string) => string
}

const inSegment = (text: string, name: string, field: number, value: string) =>
  text
    .split('\r')
    .map((segment) => {
      const fields = segment.split('|')
      if (fields[0] !== name) return segment
      fields[field] = value
      return fields.join('|')
    })
    .join('\r')

/** The first four are refused, the others are held. */
const faults: readonly Fault[] = [
  { what: 'No patient number', spoil: (text) => inSegment(text, 'PID', 3, '') },
  { what: 'A sex outside its table', spoil: (text) => inSegment(text, 'PID', 8, 'X') },
  { what: 'A birth date that is none', spoil: (text) => inSegment(text, 'PID', 7, '19791345') },
  { what: 'No MSH', spoil: (text) => text.replace('MSH', 'XYZ') },
  { what: 'An unknown test code', spoil: (text) => inSegment(text, 'OBR', 4, 'ZZTOP^No such test^L') },
  { what: 'An unknown physician', spoil: (text) => inSegment(text, 'ORC', 12, '1999999999^Nobody^Known') },
  { what: 'No birth date', spoil: (text) => inSegment(text, 'PID', 7, '') },
]

const newPatient = (random: Random, run: string, serial: number): string => {
  const sex = random.chance(0.5) ? 'MALE' : 'FEMALE'
  const { first, middle, last } = personName(random, sex)
  const place = random.pick(clientPlaces)
  const born = `${random.int(1938, 2004)}${twoDigits(random.int(1, 12))}${twoDigits(random.int(1, 28))}`
  const name = [last, first, middle ?? ''].join('^').replace(/\^$/, '')
  return `PID|1||${plainLetters(run).toUpperCase()}${serial}^^^EHR^MR||${name}||${born}|${sex[0]}|||${addressOf(random, place)}||${phoneNumber(random, place.area).slice(1)}`
}

const addressOf = (random: Random, { city, state, zip }: Place) => `${streetAddress(random)}^^${city}^${state}^${zip}`

const pickTests = (random: Random, tests: readonly string[]): string[] => {
  const count = Math.min(tests.length, random.int(1, 3))
  const chosen = new Set<string>()
  while (chosen.size < count) chosen.add(random.pick(tests))
  return [...chosen]
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** In UTC, with its offset. */
const hl7Time = (date: Date): string => `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}+0000`

const collectedBefore = (random: Random, now: Date) =>
  hl7Time(new Date(now.getTime() - random.int(30, 600) * 60_000)).replace(/\d\d\+/, '00+')
