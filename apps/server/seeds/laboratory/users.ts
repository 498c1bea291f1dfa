import type { Client } from './clients.ts'
import { day, isoInstant } from './clock.ts'
import type { Collaborator } from './collaborators.ts'
import { accountNames } from './names.ts'
import { emailOf, phoneNumber } from './people.ts'
import { Random, streams } from './random.ts'
import type { SalesPerson } from './sales.ts'
import type { Lab, SeedContext } from './seed-context.ts'

export interface DemoUser {
  id: number
  userName: string
  name: string
  role: string
  phone: string
}

interface UserSeed {
  userName: string
  first: string
  last: string
  role: string
  departments: readonly string[]
  lab?: 1 | 2
  status?: 'LCK'
  hasExpiredPassword?: true
}

/** The accounts of the README: they can sign in, nobody else can. */
export const demoAccounts = [
  { userName: 'admin', first: 'Adele', last: 'Okafor', role: 'ADM', departments: ['IT', 'QA'] },
  { userName: 'management', first: 'Marcus', last: 'Lindström', role: 'MGMT', departments: ['MGMT'] },
  { userName: 'staff', first: 'Stella', last: 'Núñez', role: 'STF', departments: ['LAB', 'ACC', 'CS'], lab: 1 },
  { userName: 'collaborator', first: 'Colin', last: "O'Brien", role: 'COLA', departments: ['CS'] },
  { userName: 'client', first: 'Clara', last: 'Haddad', role: 'CLNT', departments: ['CS'] },
  { userName: 'physician', ...accountNames.physician, role: 'PHYS', departments: ['CS'] },
  { userName: 'sales', ...accountNames.sales, role: 'SLS', departments: ['SALES'] },
  { userName: 'billing', first: 'Bill', last: 'Kowalski', role: 'BILL', departments: ['BILLING'] },
] as const satisfies readonly UserSeed[]

const furtherUsers: readonly UserSeed[] = [
  { userName: 'a.jensen', first: 'Astrid', last: 'Jensen', role: 'STF', departments: ['ACC'], lab: 1 },
  { userName: 't.mbeki', first: 'Thandi', last: 'Mbeki', role: 'STF', departments: ['LAB'], lab: 1 },
  { userName: 'q.tran', first: 'Quynh', last: 'Tran', role: 'STF', departments: ['QA'], lab: 1 },
  { userName: 'dr.weiss', first: 'Miriam', last: 'Weiss', role: 'STF', departments: ['MEDDIR'], lab: 1 },
  { userName: 'c.silva', first: 'Carla', last: 'Silva', role: 'STF', departments: ['CS'], lab: 1 },
  { userName: 'd.ivanov', first: 'Denis', last: 'Ivanov', role: 'STF', departments: ['DELIVERY'], lab: 1 },
  { userName: 'b.chowdhury', first: 'Bina', last: 'Chowdhury', role: 'BILL', departments: ['BILLING'] },
  { userName: 'i.mcleod', first: 'Iain', last: 'MacLeod', role: 'ADM', departments: ['IT'] },
  { userName: 'g.rossi', first: 'Gina', last: 'Rossi', role: 'STF', departments: ['LAB', 'ACC'], lab: 2 },
  { userName: 'l.ford', first: 'Leon', last: 'Ford', role: 'STF', departments: ['LOGISTICS'], lab: 2 },
  { userName: 'frontdesk2', first: 'Dana', last: 'Petrov', role: 'CLNT', departments: ['CS'] },
  {
    userName: 'former.staff',
    first: 'Frank',
    last: 'Weaver',
    role: 'STF',
    departments: ['LAB'],
    lab: 1,
    status: 'LCK',
  },
  {
    userName: 'new.partner',
    first: 'Noor',
    last: 'Rahman',
    role: 'COLA',
    departments: ['CS'],
    hasExpiredPassword: true,
  },
]

interface Entities {
  labs: readonly Lab[]
  collaborators: readonly Collaborator[]
  salesPeople: readonly SalesPerson[]
  clients: readonly Client[]
}

/** Who could have done something: people of a department. */
export class UserDirectory {
  readonly #byDepartment = new Map<number, number[]>()

  add(departmentId: number, userId: number) {
    const users = this.#byDepartment.get(departmentId)
    if (users) users.push(userId)
    else this.#byDepartment.set(departmentId, [userId])
  }

  of(departmentId: number, random: Random): number {
    const users = this.#byDepartment.get(departmentId)
    if (!users) throw new Error(`No demo user in department ${departmentId}`)
    return random.pick(users)
  }
}

export const addUsers = (context: SeedContext, entities: Entities, passwordHash: string) => {
  const users = new UserDirectory()
  const random = new Random(context.plan.seed, streams.user, 0)
  const everyone = [...demoAccounts, ...furtherUsers].map((seed) =>
    addUser(context, random, users, seed, entityColumns(seed, entities), passwordHash),
  )
  return { users, accounts: everyone.slice(0, demoAccounts.length) }
}

const laboratoryRoles = ['ADM', 'MGMT', 'STF', 'BILL', 'SLS']

const addUser = (
  { ids, rows, plan, catalogue, createdAt }: SeedContext,
  random: Random,
  users: UserDirectory,
  seed: UserSeed,
  entity: ReturnType<typeof entityColumns>,
  passwordHash: string,
): DemoUser => {
  const id = ids.next('app_user')
  const phone = phoneNumber(random, '602')
  const isAccount = demoAccounts.some((account) => account.userName === seed.userName)
  rows.add('app_user', {
    id,
    user_name: seed.userName,
    first_name: seed.first,
    last_name: seed.last,
    email: emailOf({ first: seed.first, middle: null, last: seed.last }),
    phone,
    role_code: seed.role,
    status_code: seed.status ?? 'ACT',
    ...entity,
    is_subscribed: isAccount,
    subscription_token: random.uuid(),
    last_logon_at: seed.hasExpiredPassword ? null : isoInstant(plan.asOf - random.between(0.05, 6) * day),
    created_at: isoInstant(createdAt),
    created_by: seed.userName === 'admin' ? null : 1,
  })
  const departments = seed.departments.map(catalogue.departmentId)
  for (const department of departments) {
    rows.add('app_user_department', { user_id: id, department_id: department })
    if (laboratoryRoles.includes(seed.role) && !seed.status) users.add(department, id)
  }
  const mayTry = isAccount || Boolean(seed.status) || Boolean(seed.hasExpiredPassword)
  rows.add('identity_user', {
    sub: random.uuid(),
    user_id: id,
    // Without a hash no password matches: the account is only for the lists and cannot sign in.
    password_hash: mayTry ? passwordHash : null,
    is_temporary: Boolean(seed.hasExpiredPassword),
  })
  return { id, userName: seed.userName, name: `${seed.first} ${seed.last}`, role: seed.role, phone }
}

/** The account of a role belongs to the busiest entity of its kind; `sales` leads a region, so that it has a team below it. */
const entityColumns = (seed: UserSeed, { labs, collaborators, salesPeople, clients }: Entities) => {
  const isAccount = demoAccounts.some((account) => account.userName === seed.userName)
  const pick = <Item>(list: readonly Item[]): Item => list[isAccount ? 0 : 1] as Item
  const physician = clients[0]?.physicians[0]?.physicianId ?? null
  return {
    client_id: seed.role === 'CLNT' ? pick(clients).id : null,
    collaborator_id: seed.role === 'COLA' ? pick(collaborators).id : null,
    physician_id: seed.role === 'PHYS' ? physician : null,
    sales_person_id: seed.role === 'SLS' ? pick(salesPeople.filter((person) => person.rank === 'DIRECTOR')).id : null,
    lab_id: seed.role === 'STF' ? (labs[(seed.lab ?? 1) - 1] as Lab).id : null,
  }
}
