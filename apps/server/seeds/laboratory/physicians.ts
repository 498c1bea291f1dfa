import type { Client } from './clients.ts'
import { isoInstant } from './clock.ts'
import { accountNames } from './names.ts'
import { npiNumber, personName } from './people.ts'
import { weighted } from './random.ts'
import type { SeedContext } from './seed-context.ts'

export interface Physician {
  id: number
  name: string
  hasValidNpi: boolean
}

const titles = weighted([
  ['MD', 55],
  ['DO', 12],
  ['NP', 6],
  ['PA-C', 6],
  ['FNP-C', 5],
  ['FNP-BC', 3],
  ['APRN', 3],
  ['DNP', 3],
  ['MD.,FACP', 4],
  ['CRNP', 2],
  ['None', 1],
] as const)

/** Real lists hold some mistyped numbers; these three do not pass the check digit. */
const wrongNpis = new Set([17, 58, 93])

export const addPhysicians = (context: SeedContext, clients: readonly Client[]): Physician[] =>
  Array.from({ length: context.plan.physicians }, (_, index) => {
    const physician = addPhysician(context, index)
    link(context, clients[index % clients.length] as Client, physician)
    if (context.random.chance(0.25)) link(context, context.random.pick(clients), physician)
    return physician
  })

const addPhysician = ({ ids, rows, random, createdAt }: SeedContext, index: number): Physician => {
  const drawn = personName(random, random.chance(0.45) ? 'FEMALE' : 'MALE')
  const name = index === 0 ? { ...drawn, ...accountNames.physician } : drawn
  const id = ids.next('physician')
  const hasValidNpi = !wrongNpis.has(index)
  rows.add('physician', {
    id,
    first_name: name.first,
    middle_name: name.middle,
    last_name: name.last,
    title: random.draw(titles),
    // The running number in the middle keeps the numbers different.
    npi_number: npiNumber(`1${random.digits(3)}${String(index).padStart(5, '0')}`, hasValidNpi),
    ptan_number: random.chance(0.3) ? `P${random.digits(6)}` : null,
    portal_pref_code: random.chance(0.7) ? 'RELEASED' : 'ALL',
    created_at: isoInstant(createdAt),
  })
  return { id, name: `${name.first} ${name.last}`, hasValidNpi }
}

const link = ({ ids, rows, createdAt }: SeedContext, client: Client, physician: Physician) => {
  if (client.physicians.some((pair) => pair.physicianId === physician.id)) return
  const linkId = ids.next('client_physician')
  const { id: physicianId, name, hasValidNpi } = physician
  client.physicians.push({ linkId, physicianId, name, hasValidNpi })
  rows.add('client_physician', {
    id: linkId,
    client_id: client.id,
    physician_id: physician.id,
    created_at: isoInstant(createdAt),
  })
}
