import { isoInstant } from './clock.ts'
import type { Collaborator } from './collaborators.ts'
import { practiceKinds, practiceWords } from './names.ts'
import { emailOf, nearbyZip, personName, phoneNumber, plainLetters, streetAddress } from './people.ts'
import { clientPlaces, type Place } from './places.ts'
import { weighted } from './random.ts'
import type { SalesPerson } from './sales.ts'
import type { Lab, SeedContext } from './seed-context.ts'

export interface ClientEvent {
  id: number
  program: string
}

export interface Client {
  id: number
  name: string
  place: Place
  /** TZNA: the zone could not be found, so no collection time is known and no order can be placed. */
  zone: string
  collaborator: Collaborator
  labs: readonly Lab[]
  events: ClientEvent[]
  /** Pairs of `client_physician`, busiest first. */
  physicians: { linkId: number; physicianId: number; name: string; hasValidNpi: boolean }[]
  transmitMethod: string
  recipient: string
  billType: string
  weight: number
  /** Ordered nothing in the last two years; only large data sets have such clients. */
  isIdle: boolean
}

const methods = weighted([
  ['PORTAL', 40],
  ['EMAIL', 25],
  ['FAX', 20],
  ['HL7', 8],
  ['PRINT', 7],
] as const)
const billTypes = weighted([
  ['INSURANCE', 55],
  ['CLIENT', 25],
  ['PATIENT', 12],
  ['COLA', 8],
] as const)
const requestTypes = weighted([
  ['PAPER', 45],
  ['PORTAL', 30],
  ['HL7', 10],
  ['CSV', 5],
  ['EVENT', 10],
] as const)
/** What the create form presets. */
export const houseEvent = 'Routine orders'
const eventNames: Record<string, string> = {
  ROUTINE: houseEvent,
  HEALTHFAIR: 'Spring health fair',
  CORPWELL: 'Employee wellness day',
  COVIDSCR: 'Staff antibody screening',
  SENIOR: 'Senior residence visit',
  MOBILE: 'Mobile phlebotomy round',
  STUDY: 'Lipid outcome study',
}

/** Which client in the demo has no time zone: neither the first nor one that a demo account belongs to. */
const unzonedIndex = 36

export const addClients = (
  context: SeedContext,
  labs: readonly Lab[],
  collaborators: readonly Collaborator[],
  salesPeople: readonly SalesPerson[],
): Client[] =>
  Array.from({ length: context.plan.clients }, (_, index) => {
    const client = addClient(context, index, labs, collaborators, salesPeople)
    addEvents(context, client)
    addSales(context, client, index, salesPeople)
    addPrices(context, client)
    return client
  })

const addClient = (
  context: SeedContext,
  index: number,
  labs: readonly Lab[],
  collaborators: readonly Collaborator[],
  salesPeople: readonly SalesPerson[],
): Client => {
  const { ids, rows, random, catalogue, createdAt, plan } = context
  const place = clientPlaces[index % clientPlaces.length] as Place
  const isUnzoned = index === unzonedIndex
  const zone = isUnzoned ? 'TZNA' : place.zone
  const name = practiceName(index)
  const domain = `${plainLetters(name)}.example.com`
  const transmitMethod = index === 0 ? 'PORTAL' : random.draw(methods)
  const isIdle = plan.isLarge && index % 20 === 19
  const [office, second] = [personName(random, 'FEMALE'), personName(random, 'MALE')]
  // The first collaborator is the largest, then they share in turn.
  const collaborator = collaborators[index % 2 === 0 ? 0 : index % collaborators.length] as Collaborator
  const service = salesPeople.filter((person) => person.type === 'SVC')
  const phone = phoneNumber(random, place.area)
  const client: Client = {
    id: ids.next('client'),
    name,
    place,
    zone,
    collaborator,
    labs: clientLabs(labs, place, index),
    events: [],
    physicians: [],
    transmitMethod,
    recipient: recipientOf(transmitMethod, name, domain),
    billType: random.draw(billTypes),
    weight: isUnzoned ? 0 : 1 / (index + 4),
    isIdle,
  }
  rows.add('client', {
    id: client.id,
    legacy_client_id: `C${1001 + index}`,
    name,
    ext_id: random.chance(0.5) ? `EXT-${random.digits(5)}` : null,
    addr1: streetAddress(random),
    addr2: random.chance(0.4) ? `Suite ${random.int(100, 990)}` : null,
    country_id: catalogue.countryId(place.country),
    city: isUnzoned ? 'Sprinfield Crossng' : place.city,
    state_id: catalogue.stateId(place.country, place.state),
    zip: nearbyZip(random, place),
    phone,
    email: `frontdesk@${domain}`,
    fax_email: `securefax@${domain}`,
    delivery_note: random.chance(0.15) ? 'Call before sending abnormal results.' : null,
    note: random.chance(0.2) ? 'Pick-up at the side entrance, box by the door.' : null,
    icd_note: random.chance(0.25) ? 'Usual diagnoses: E78.5, I10, E11.9 unless stated on the order.' : null,
    collaborator_id: collaborator.id,
    service_person_id: service[index % Math.max(1, service.length)]?.id ?? null,
    req_type_code: random.draw(requestTypes),
    transmit_method_code: transmitMethod,
    bill_type_code: client.billType,
    name2: random.chance(0.5) ? `${office.first} ${office.last}` : `${second.first} ${second.last}`,
    phone2: phoneNumber(random, place.area),
    email2: emailOf(office, domain),
    is_contract_phleb: random.chance(0.2),
    portal_pref_code: random.chance(0.8) ? 'RELEASED' : 'NOTIFY',
    // The practice of the demo accounts.
    is_portal_order: index === 0,
    encrypt_pdf: transmitMethod === 'EMAIL' && random.chance(0.5),
    zone,
    created_at: isoInstant(createdAt),
  })
  for (const lab of client.labs) rows.add('client_lab', { client_id: client.id, lab_id: lab.id })
  return client
}

/** Forty words times fifteen kinds, no pair twice. */
const practiceName = (index: number): string => {
  const word = practiceWords[index % practiceWords.length] as string
  const kind = practiceKinds[(index + Math.floor(index / practiceWords.length)) % practiceKinds.length] as string
  return `${word} ${kind}`
}

const eastern = ['America/New_York', 'America/Detroit', 'America/Toronto', 'America/Indiana/Indianapolis']

const clientLabs = (labs: readonly Lab[], place: Place, index: number): Lab[] => {
  const nearest = labs[eastern.includes(place.zone) ? 1 : 0] as Lab
  return index % 4 === 0 ? [nearest, ...labs.filter((lab) => lab !== nearest)] : [nearest]
}

const recipientOf = (method: string, name: string, domain: string): string => {
  if (method === 'EMAIL') return `frontdesk@${domain}`
  if (method === 'FAX') return `securefax@${domain}`
  if (method === 'HL7') return `mllp://hl7.${domain}:2575`
  return name
}

const addEvents = ({ ids, rows, random, catalogue }: SeedContext, client: Client) => {
  const programs = ['ROUTINE', ...Object.keys(eventNames).filter((code) => code !== 'ROUTINE' && random.chance(0.3))]
  for (const program of programs) {
    const event = { id: ids.next('client_event'), program }
    client.events.push(event)
    rows.add('client_event', {
      id: event.id,
      client_id: client.id,
      program_id: catalogue.programId(program),
      name: eventNames[program] as string,
    })
  }
}

/** One primary rep, sometimes a second; managers and above reach their clients through the people who report to them. */
const addSales = (
  { rows, random }: SeedContext,
  client: Client,
  index: number,
  salesPeople: readonly SalesPerson[],
) => {
  const reps = salesPeople.filter((person) => person.rank === 'REP' || (person.rank === 'MANAGER' && index % 8 === 7))
  const primary = reps[index % reps.length] as SalesPerson
  rows.add('client_sales', { client_id: client.id, sales_person_id: primary.id, is_primary: true })
  const second = random.pick(reps)
  if (second !== primary && random.chance(0.3)) {
    rows.add('client_sales', { client_id: client.id, sales_person_id: second.id, is_primary: false })
  }
}

const addPrices = ({ ids, rows, random, catalogue }: SeedContext, client: Client) => {
  for (const test of catalogue.tests.values()) {
    if (test.isCalculated || !random.chance(0.98)) continue
    rows.add('client_test_price', {
      id: ids.next('client_test_price'),
      client_id: client.id,
      test_id: test.id,
      price: `${random.int(8, 160)}.${random.pick(['00', '50', '95'])}`,
      price_comment: random.chance(0.2) ? 'Contract price, reviewed every January.' : null,
    })
  }
}
