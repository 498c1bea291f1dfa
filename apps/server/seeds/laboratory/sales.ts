import { isoInstant } from './clock.ts'
import { accountNames } from './names.ts'
import { emailOf, personName, phoneNumber } from './people.ts'
import type { SeedContext } from './seed-context.ts'

export interface SalesPerson {
  id: number
  type: 'SLS' | 'SVC'
  rank: Rank
}

type Rank = 'VP' | 'DIRECTOR' | 'MANAGER' | 'REP' | 'SERVICE'

const titles: Record<Rank, string> = {
  VP: 'VP of Sales',
  DIRECTOR: 'Regional Sales Director',
  MANAGER: 'Manager',
  REP: 'Sales Rep.',
  SERVICE: 'Service Rep.',
}

/** The first fifteen: one vice president, two regions, four managers, five reps and three for service. Later ones are reps and service. */
const firstRanks: readonly Rank[] = [
  'VP',
  'DIRECTOR',
  'DIRECTOR',
  'MANAGER',
  'MANAGER',
  'MANAGER',
  'MANAGER',
  'REP',
  'REP',
  'REP',
  'REP',
  'REP',
  'SERVICE',
  'SERVICE',
  'SERVICE',
]

const above: Record<Rank, Rank | null> = {
  VP: null,
  DIRECTOR: 'VP',
  MANAGER: 'DIRECTOR',
  REP: 'MANAGER',
  SERVICE: 'DIRECTOR',
}

export const addSalesPeople = (context: SeedContext): SalesPerson[] => {
  const people: SalesPerson[] = []
  for (let index = 0; index < context.plan.salesPeople; index += 1) {
    const rank = firstRanks[index] ?? (index % 5 === 0 ? 'SERVICE' : 'REP')
    people.push(addSalesPerson(context, rank, index, bossOf(people, rank)))
  }
  return people
}

/** Teams are filled in turn. */
const bossOf = (people: SalesPerson[], rank: Rank): SalesPerson | null => {
  const bosses = people.filter((person) => person.rank === above[rank])
  const peers = people.filter((person) => person.rank === rank).length
  return bosses[peers % Math.max(1, bosses.length)] ?? null
}

const addSalesPerson = (
  { ids, rows, random, createdAt }: SeedContext,
  rank: Rank,
  index: number,
  boss: SalesPerson | null,
): SalesPerson => {
  const drawn = personName(random, random.chance(0.5) ? 'FEMALE' : 'MALE')
  const name = index === firstRanks.indexOf('DIRECTOR') ? { ...drawn, ...accountNames.sales } : drawn
  const id = ids.next('sales_person')
  const type = rank === 'SERVICE' ? 'SVC' : 'SLS'
  rows.add('sales_person', {
    id,
    first_name: name.first,
    middle_name: name.middle,
    last_name: name.last,
    email: emailOf(name, 'sales.example.com'),
    phone: phoneNumber(random, '602'),
    title: titles[rank],
    type_code: type,
    rep_code: `${type === 'SLS' ? 'S' : 'V'}${String(index + 1).padStart(3, '0')}`,
    report_to_id: boss?.id ?? null,
    company_name: random.chance(0.2) ? 'Copper State Medical Sales' : 'Saguaro Clinical Laboratory',
    note: null,
    created_at: isoInstant(createdAt),
  })
  return { id, type, rank }
}
