import { randomBytes } from 'node:crypto'
import { hashToken } from '../apps/server/src/platform/auth/sessions.ts'
import type { Pool } from '../apps/server/src/platform/db/pool.ts'

/** A caller, and the scope of their rows. */
export interface Person {
  name: string
  role: string
  /** The ids of the scope: client, collaborator, physician, or the clients of a sales person. */
  ids: readonly number[]
  headers: Record<string, string>
}

const entityColumns: Record<string, string> = {
  CLNT: 'client_id',
  COLA: 'collaborator_id',
  PHYS: 'physician_id',
  SLS: 'sales_person_id',
  STF: 'lab_id',
}

/** People of every role; of the narrow roles one with much and one with little. */
export const findPeople = async (owner: Pool): Promise<Record<string, Person>> => {
  const found: Person[] = []
  for (const role of ['ADM', 'MGMT', 'STF', 'BILL']) {
    found.push(await signIn(owner, role, role, role === 'STF' ? await firstLab(owner) : null, []))
  }
  for (const role of ['COLA', 'CLNT', 'PHYS']) {
    const { large, middle, small } = await entitiesOf(owner, role)
    found.push(await signIn(owner, `${role} large`, role, large, [large]))
    if (role === 'CLNT') found.push(await signIn(owner, `${role} middle`, role, middle, [middle]))
    found.push(await signIn(owner, `${role} small`, role, small, [small]))
  }
  for (const seller of await sellersOf(owner)) {
    found.push(await signIn(owner, `SLS ${seller.ids.length} clients`, 'SLS', seller.id, seller.ids))
  }
  return Object.fromEntries(found.map((person) => [person.name, person]))
}

const firstLab = async (owner: Pool): Promise<number> =>
  (await owner.query<{ id: number }>('select id from lab order by id limit 1')).rows[0]?.id ?? 0

const entitiesOf = async (owner: Pool, scope: string) => {
  const { rows } = await owner.query<{ id: number }>(
    'select scope_id as id from requisition_count where scope = $1 group by 1 having sum(n) > 0 order by sum(n) desc, 1',
    [scope],
  )
  const at = (part: number) => rows[Math.floor((rows.length - 1) * part)]?.id ?? 0
  return { large: at(0), middle: at(0.5), small: at(0.95) }
}

/** One with the fewest clients, one in the middle, one with the most. */
const sellersOf = async (owner: Pool): Promise<{ id: number; ids: number[] }[]> => {
  const { rows } = await owner.query<{ id: number; ids: number[] }>(`
    with recursive team as (
      select id as chief, id from sales_person where deleted_at is null
      union select team.chief, s.id from sales_person s join team on s.report_to_id = team.id where s.deleted_at is null)
    select chief as id, array_agg(distinct cs.client_id order by cs.client_id) as ids
    from team join client_sales cs on cs.sales_person_id = team.id group by 1 order by count(distinct cs.client_id), 1`)
  const picked = [rows[0], rows[Math.floor(rows.length * 0.85)], rows.at(-1)]
  return picked.filter((row) => row !== undefined)
}

const signIn = async (
  owner: Pool,
  name: string,
  role: string,
  entityId: number | null,
  ids: readonly number[],
): Promise<Person> => {
  const userName = `bench ${name}`
  const column = entityColumns[role]
  await owner.query('update app_user set deleted_at = now() where user_name = $1 and deleted_at is null', [userName])
  const { rows } = await owner.query<{ id: number }>(
    `insert into app_user (user_name, first_name, last_name, email, phone, role_code${column ? `, ${column}` : ''})
     values ($1, 'Bench', 'Mark', 'bench@example.com', '5550100000', $2${column ? `, ${Number(entityId)}` : ''}) returning id`,
    [userName, role],
  )
  const token = randomBytes(32).toString('base64url')
  await owner.query(
    `insert into session (token_hash, user_id, token_expires_at, absolute_expires_at)
     values ($1, $2, now() + interval '6 hours', now() + interval '6 hours')`,
    [hashToken(token), rows[0]?.id],
  )
  return { name, role, ids, headers: { authorization: `Bearer ${token}` } }
}
