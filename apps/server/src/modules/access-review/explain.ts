import { can, permissions } from '@lis/contract/access/permissions.ts'
import { type Role, roleTable } from '@lis/contract/access/roles.ts'
import type { Explanation } from '@lis/contract/access-review.ts'
import { routeName } from '@lis/contract/kit/patient-data.ts'
import { requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { sql } from 'kysely'
import { type Actor, type ActorRow, actorColumns, actorOf } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { databaseRoleOf, type ScopedDb } from '../../platform/db/scope.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { requireRequisition } from '../requisition-record/queries.ts'

type Rule = Explanation['rules'][number]

const roleNames = new Map(roleTable.map((row) => [row.userRoleCode as string, row.userRoleDesc]))
const route = requisitionDetailRoutes.one
const call = `${route.method} ${routeName(route)}`

/** Evaluates each rule that the server enforces: the account, the permission of the role, and the policy of the rows. */
export const explainRequisition = async (
  db: Db,
  databases: ScopedDb,
  userId: number,
  reqId: number,
): Promise<Explanation> => {
  const { actor, isActive } = await getPerson(db, userId)
  const parties = await getParties(db, reqId)
  const mayCall = can(actor.role, route.access)
  // With a connection in the scope of this person, so that row-level security gives the same answer as in their own calls.
  const seesRow = await sees(databases(actor.scope), actor, reqId)
  return {
    isAllowed: isActive && mayCall && seesRow,
    rules: [
      accountRule(isActive),
      permissionRule(actor.role, mayCall),
      { text: scopeText(actor, parties, seesRow), from: await policyText(db, actor) },
    ],
  }
}

const getPerson = async (db: Db, userId: number) => {
  const { rows } = await sql<
    ActorRow & { is_active: boolean }
  >`select ${sql.raw(actorColumns)}, u.status_code = 'ACT' as is_active from app_user u
    where u.id = ${userId} and u.deleted_at is null and not u.is_api_client`.execute(db)
  const [row] = rows
  if (!row) throw notFound('User')
  return { actor: actorOf(row, ''), isActive: row.is_active }
}

const getParties = async (db: Db, reqId: number) => {
  const found = await db
    .selectFrom('requisition as r')
    .innerJoin('client as c', 'c.id', 'r.client_id')
    .innerJoin('collaborator as o', 'o.id', 'r.collaborator_id')
    .innerJoin('physician as p', 'p.id', 'r.physician_id')
    .select(['r.id', 'c.name as client', 'o.name as collaborator'])
    .select(sql<string>`concat_ws(', ', p.last_name, p.first_name)`.as('physician'))
    .where('r.id', '=', reqId)
    .where('r.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!found) throw notFound('Requisition')
  return found
}

const sees = (db: Db, actor: Actor, reqId: number): Promise<boolean> =>
  requireRequisition(db, actor, reqId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'notFound') return false
      throw error
    },
  )

const accountRule = (isActive: boolean): Rule => ({
  text: isActive ? 'The account is enabled.' : 'The account is disabled: it opens nothing.',
  from: 'account',
})

const permissionRule = (role: Role, may: boolean): Rule => ({
  text: `The role ${roleNames.get(role)} ${may ? 'may' : 'may not'} open requisitions (${call}).`,
  from: `permission ${route.access}: ${permissions[route.access].join(', ')}`,
})

type Parties = Awaited<ReturnType<typeof getParties>>

/** The scope as text, and whether the requisition is in it. */
const scopeText = ({ role }: Actor, parties: Parties, seesRow: boolean): string => {
  const which = scopes[role]
  if (!which) return `The role ${roleNames.get(role)} sees ${seesRow ? 'every requisition' : 'no requisition'}.`
  return `The account sees ${which.of}; requisition #${parties.id} ${seesRow ? 'is one of them' : 'is not one of them'}: ${which.what(parties)}.`
}

const scopes: Partial<Record<Role, { of: string; what: (parties: Parties) => string }>> = {
  CLNT: { of: 'the requisitions of its client', what: ({ client }) => `its client is ${client}` },
  COLA: {
    of: 'the requisitions of its collaborator',
    what: ({ collaborator }) => `its collaborator is ${collaborator}`,
  },
  PHYS: {
    of: 'the requisitions of its physician, and those with a copy to this physician',
    what: ({ physician }) => `its physician is ${physician}`,
  },
  SLS: {
    of: 'the requisitions of the clients of this sales person and of everyone who reports to them',
    what: ({ client }) => `its client is ${client}`,
  },
  BILL: { of: 'requisitions that are in a billing batch', what: ({ client }) => `its client is ${client}` },
}

/** The policies of row-level security as the database holds them. */
const policyText = async (db: Db, actor: Actor): Promise<string> => {
  const { rows } = await sql<{ name: string; condition: string }>`
    select policyname as name, regexp_replace(qual, '\\s+', ' ', 'g') as condition from pg_policies
    where schemaname = 'public' and tablename = 'requisition' and ${databaseRoleOf(actor.scope)} = any(roles)
    order by policyname`.execute(db)
  if (rows.length === 0) return 'no policy of row-level security admits this role'
  return rows.map(({ name, condition }) => `policy ${name} on requisition: ${condition}`).join('; ')
}
