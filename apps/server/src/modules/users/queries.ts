import { roleTable } from '@lis/contract/access/roles.ts'
import { entityTypeOf, type OwnSession, type User } from '@lis/contract/users.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { contains, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'

export const roleCase = sql`case u.role_code ${sql.join(
  roleTable.map((row) => sql`when ${sql.lit(row.userRoleCode)} then ${sql.lit(row.userRoleDesc)}`),
  sql` `,
)} end`
export const entityId = sql`coalesce(u.client_id, u.collaborator_id, u.physician_id, u.sales_person_id, u.lab_id)`
export const entityName = sql`coalesce((select name from client where id = u.client_id), (select name from collaborator where id = u.collaborator_id),
  (select last_name || ', ' || first_name from physician where id = u.physician_id),
  (select last_name || ', ' || first_name from sales_person where id = u.sales_person_id), (select name from lab where id = u.lab_id))`
const departments = sql`coalesce((select json_agg(json_build_object('deptId', d.id, 'deptName', d.name) order by d.sort_order)
  from app_user_department x join department d on d.id = x.department_id where x.user_id = u.id), '[]')`
const departmentIds = sql`coalesce((select json_agg(x.department_id order by x.department_id) from app_user_department x where x.user_id = u.id), '[]')`

/** The list of users; page, total, export and the single record use it. */
export const userList: ListDefinition = {
  from: sql`app_user u left join identity_user i on i.user_id = u.id`,
  where: [sql`u.deleted_at is null`, sql`not u.is_api_client`],
  fields: {
    id: sql`u.id`,
    userId: sql`u.id`,
    userFirstName: sql`u.first_name`,
    userLastName: sql`u.last_name`,
    userPhone: sql`u.phone`,
    userEmail: sql`u.email`,
    userName: sql`u.user_name`,
    userRoleCode: sql`u.role_code`,
    userRoleDesc: roleCase,
    userStatusCode: sql`u.status_code`,
    userStatusDesc: lookupDescriptionOrCode('USERSTATUS', sql`u.status_code`),
    deptIds: departmentIds,
    depts: departments,
    isSubscribed: flag01(sql`u.is_subscribed`),
    entityId,
    entityName,
    userCreateDate: sql`u.created_at`,
    lastLogonDate: sql`u.last_logon_at`,
    tempPwdExpiredDate: sql`case when i.is_temporary then i.temporary_expires_at end`,
    lockedUntilDate: sql`(select max(l.locked_until) from identity_lock l where l.user_name = u.user_name and l.locked_until > now())`,
    version: sql`u.version`,
  },
  sort: { userFirstName: sql`lower(u.first_name)`, userLastName: sql`lower(u.last_name)` },
  filter: {
    id: isOneOfIds(sql`u.id`, 'id'),
    userName: contains(sql`u.user_name::text`),
    userFirstName: contains(sql`u.first_name`),
    userLastName: contains(sql`u.last_name`),
    userEmail: contains(sql`u.email::text`),
    userRoleCode: isOneOf(sql`u.role_code`),
    userStatusCode: isOneOf(sql`u.status_code`),
    deptId: (value) =>
      sql`exists (select from app_user_department x where x.user_id = u.id and ${isOneOfIds(sql`x.department_id`, 'deptId')(value)})`,
    search: contains(sql`(u.user_name || ' ' || u.first_name || ' ' || u.last_name || ' ' || u.email)`),
  },
  defaultOrder: sql`u.id`,
  key: sql`u.id`,
}

export const findUser = async (db: Db, id: number): Promise<User | undefined> => {
  const fields = sql.join(
    Object.entries(userList.fields).map(([name, expression]) => sql`${expression} as ${sql.ref(name)}`),
  )
  const { rows } =
    await sql<User>`select ${fields} from ${userList.from} where u.deleted_at is null and not u.is_api_client and u.id = ${id}`.execute(
      db,
    )
  return rows[0]
}

/** Locks the row until the transaction ends, which serializes edits of one user. */
export const lockUser = async (trx: Trx, id: number) => {
  await trx.selectFrom('app_user').select('id').where('id', '=', id).forUpdate().execute()
}

export const isNameTaken = async (db: Db, userName: string): Promise<boolean> =>
  (await db
    .selectFrom('app_user')
    .select('id')
    .where('user_name', '=', userName)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()) !== undefined

const entityColumns = {
  CLIENT: 'client_id',
  COLLABORATOR: 'collaborator_id',
  PHYSICIAN: 'physician_id',
  SALES: 'sales_person_id',
  LAB: 'lab_id',
} as const
const entityTables = {
  CLIENT: 'client',
  COLLABORATOR: 'collaborator',
  PHYSICIAN: 'physician',
  SALES: 'sales_person',
  LAB: 'lab',
} as const

/** The columns of a role's entity: one is set, the others are null. */
export const entityValues = (role: string, id: number | null) => {
  const type = entityTypeOf(role)
  return {
    client_id: null,
    collaborator_id: null,
    physician_id: null,
    sales_person_id: null,
    lab_id: null,
    ...(type && { [entityColumns[type]]: id }),
  }
}

/** Whether the entity of a role exists. Locked against deletion until the transaction ends. */
export const lockEntity = async (trx: Trx, role: string, id: number | null): Promise<boolean> => {
  const type = entityTypeOf(role)
  if (!type) return true
  const found = await trx
    .selectFrom(entityTables[type])
    .select('id')
    .where('id', '=', sql<number>`${id}`)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

export const unknownDepartments = async (db: Db, ids: readonly number[]): Promise<number[]> => {
  if (ids.length === 0) return []
  const known = await db
    .selectFrom('department')
    .select('id')
    .where('id', 'in', [...ids])
    .execute()
  return ids.filter((id) => !known.some((row) => row.id === id))
}

export const setDepartments = async (trx: Trx, userId: number, ids: readonly number[]) => {
  await trx.deleteFrom('app_user_department').where('user_id', '=', userId).execute()
  await trx
    .insertInto('app_user_department')
    .values(ids.map((id) => ({ user_id: userId, department_id: id })))
    .execute()
}

/** The sessions that can still be used; one that was idle for too long has ended without an update of its row. */
export const listOwnSessions = (db: Db, actor: Actor, idleSeconds: number): Promise<OwnSession[]> =>
  db
    .selectFrom('session')
    .select((eb) => [
      'id',
      sql<string>`coalesce(${eb.ref('user_agent')}, 'Unknown device')`.as('device'),
      sql<string | null>`host(${eb.ref('ip')})`.as('ip'),
      'created_at as createDate',
      'last_seen_at as lastSeenDate',
      flag01(eb('id', '=', actor.sessionId)).as('isCurrent'),
    ])
    .where('user_id', '=', actor.userId)
    .where('ended_at', 'is', null)
    .where('viewer_session_id', 'is', null)
    .where('absolute_expires_at', '>', sql<string>`now()`)
    .where('last_seen_at', '>', sql<string>`now() - make_interval(secs => ${idleSeconds})`)
    .orderBy('last_seen_at', 'desc')
    .execute()
