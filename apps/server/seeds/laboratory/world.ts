import type { Catalogue } from './catalogue.ts'
import { addClients, type Client } from './clients.ts'
import { day } from './clock.ts'
import { addCollaborators, type Collaborator } from './collaborators.ts'
import type { Ids, RowSink } from './copy.ts'
import { addFreezers, type Freezers } from './freezer.ts'
import { addPhysicians, type Physician } from './physicians.ts'
import type { Plan } from './plan.ts'
import { Random, streams, type Weighted, weighted } from './random.ts'
import { addSalesPeople, type SalesPerson } from './sales.ts'
import type { Lab, SeedContext } from './seed-context.ts'
import { addUsers, type DemoUser, type UserDirectory } from './users.ts'

/** Everything that exists before the first order; small at any size, so it is kept in memory. */
export interface World {
  labs: readonly Lab[]
  collaborators: readonly Collaborator[]
  salesPeople: readonly SalesPerson[]
  clients: readonly Client[]
  /** Clients by how much they order. */
  clientDraw: Weighted<Client>
  physicians: readonly Physician[]
  users: UserDirectory
  accounts: readonly DemoUser[]
  freezers: Freezers
}

export const makeWorld = (plan: Plan, catalogue: Catalogue, ids: Ids, rows: RowSink, passwordHash: string): World => {
  const random = new Random(plan.seed, streams.world, 0)
  const context: SeedContext = {
    plan,
    catalogue,
    ids,
    rows,
    random,
    createdAt: plan.asOf - (plan.oldestDays + 40) * day,
  }
  const labs = addLabs(context)
  const collaborators = addCollaborators(context)
  const salesPeople = addSalesPeople(context)
  const clients = addClients(context, labs, collaborators, salesPeople)
  const physicians = addPhysicians(context, clients)
  const { users, accounts } = addUsers(context, { labs, collaborators, salesPeople, clients }, passwordHash)
  return {
    labs,
    collaborators,
    salesPeople,
    clients,
    clientDraw: weighted(clients.map((client) => [client, client.weight] as const)),
    physicians,
    users,
    accounts,
    freezers: addFreezers(context, labs),
  }
}

const addLabs = ({ ids, rows, catalogue }: SeedContext): Lab[] => {
  const labs = [
    { id: ids.next('lab'), code: 'SCL', name: 'Saguaro Clinical Laboratory', zone: 'America/Phoenix' },
    { id: ids.next('lab'), code: 'GLL', name: 'Great Lakes Clinical Laboratory', zone: 'America/New_York' },
  ]
  labs.forEach(({ id, code, name, zone }, index) => {
    const { state, accreditation, ...record } = labRecords[index] as (typeof labRecords)[number]
    rows.add('lab', {
      id,
      lab_code: code,
      name,
      zone,
      is_default: index === 0,
      country_id: catalogue.countryId('US'),
      state_id: catalogue.stateId('US', state),
      ...record,
    })
    rows.add('lab_accreditation', { lab_id: id, position: 1, body_name: 'CAP', valid_to: null, ...accreditation })
  })
  return labs
}

const labRecords = [
  {
    addr1: '4200 East Thomas Road',
    city: 'Phoenix',
    state: 'AZ',
    zip: '85018',
    phone: '16025550142',
    clia_number: '03D2104417',
    director_name: 'Helen Marsh, MD, FCAP',
    accreditation: { accreditation_number: '7212345' },
  },
  {
    addr1: '77 Lakeshore Drive',
    city: 'Buffalo',
    state: 'NY',
    zip: '14202',
    phone: '17165550177',
    clia_number: '33D2098812',
    director_name: 'Daniel Okafor, MD, PhD',
    accreditation: { accreditation_number: '7298810' },
  },
]
