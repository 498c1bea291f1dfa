import { roleOf } from '@lis/contract/access/roles.ts'
import { messages } from '@lis/contract/messages.ts'
import type { Session, sessionRoutes, ViewSession } from '@lis/contract/session.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { type Actor, actorName } from '../../platform/auth/actor.ts'
import { closeSessions, openSession, openViewSession, type SessionOrigin } from '../../platform/auth/sessions.ts'
import type { Trx } from '../../platform/db/db.ts'
import { AppError, conflict, invalid, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/http/implement.ts'
import { originOf } from '../../platform/identity/origin.ts'
import { IdentityError, LockedOut, type VerifiedIdentity } from '../../platform/identity/provider.ts'
import type { Services } from '../../platform/services.ts'

/** Translates an error of the user pool into one of the API. */
export const asApiError = (error: unknown): never => {
  if (!(error instanceof IdentityError)) throw error
  if (error.name === 'InvalidPasswordException' || error.name === 'PasswordHistoryPolicyViolationException') {
    throw new AppError('invalid', error.message, { errors: [{ field: 'newPwd', message: error.message }] })
  }
  if (error.name === 'CodeMismatchException' || error.name === 'ExpiredCodeException') {
    throw new AppError('invalid', error.message, { errors: [{ field: 'verificationCode', message: error.message }] })
  }
  if (error.name === 'ForeignLinkException') throw invalid('userName', error.message)
  if (error.name === 'LimitExceededException' || error.name === 'TooManyRequestsException')
    throw new AppError('tooManyRequests', error.message)
  throw new AppError('unauthenticated', error.message)
}

const wrongPassword = 'Incorrect username or password.'

/** The same for a person who is signed in: a wrong current password, once or too often, is a fault in the form (nobody typed a name), and 401 would end the session. */
export const asFormError = (error: unknown): never => {
  if (error instanceof LockedOut) throw invalid('currentPwd', error.message)
  if (error instanceof IdentityError && error.name === 'NotAuthorizedException' && error.message === wrongPassword)
    throw invalid('currentPwd', 'Current password is not correct')
  return asApiError(error)
}

/** Exchanges a verified identity for a session. A refresh of the same sign-in renews its session instead of opening another. */
export const exchangeToken = async (
  trx: Trx,
  services: Services,
  identity: VerifiedIdentity,
  origin: SessionOrigin,
  requestId: string,
): Promise<Session> => {
  const { config } = services
  const user = await sessionUsers(trx)
    .innerJoin('identity_user as i', 'i.user_id', 'u.id')
    .where('i.sub', '=', identity.sub)
    .executeTakeFirst()
  if (user?.status_code !== 'ACT') throw new AppError('unauthenticated', 'Incorrect username or password.')
  const setAt = await services.identity.passwordSetAt(trx, user.user_name)
  if (setAt && setAt.getTime() + config.PASSWORD_DAYS * 86_400_000 < Date.now()) {
    throw new AppError('passwordExpired', 'The password has expired. Please choose a new one.')
  }
  const limits = {
    tokenSeconds: config.SESSION_TOKEN_SECONDS,
    idleSeconds: config.SESSION_IDLE_SECONDS,
    absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS,
  }
  const opened = await openSession(
    trx,
    { userId: user.id, origin: identity.origin, authTime: identity.authTime },
    limits,
    origin,
  )
  if (opened.isNew) {
    await trx.updateTable('app_user').set({ last_logon_at: sql<string>`now()` }).where('id', '=', user.id).execute()
    await recordAudit(trx, { userId: user.id, name: actorName(user) }, requestId, {
      entity: 'app_user',
      entityId: user.id,
      action: 'SIGN_IN',
    })
  }
  return sessionOf(user, opened.token)
}

type SessionUser = Awaited<ReturnType<ReturnType<typeof sessionUsers>['executeTakeFirstOrThrow']>>

const sessionOf = (user: SessionUser, token: string): Session => ({
  token,
  userDepts: user.departments,
  access: {
    userId: user.id,
    userRoleCode: roleOf(user.role_code),
    userName: user.user_name,
    userFirstName: user.first_name,
    userLastName: user.last_name,
    entityId: user.client_id ?? user.collaborator_id ?? user.physician_id ?? user.sales_person_id ?? user.lab_id,
  },
})

const sessionUsers = (trx: Trx) =>
  trx
    .selectFrom('app_user as u')
    .select([
      'u.id',
      'u.user_name',
      'u.first_name',
      'u.last_name',
      'u.role_code',
      'u.status_code',
      'u.client_id',
      'u.collaborator_id',
      'u.physician_id',
      'u.sales_person_id',
      'u.lab_id',
    ])
    .select(
      sql<
        Session['userDepts']
      >`coalesce((select json_agg(json_build_object('deptId', d.id, 'deptCode', d.code, 'deptName', d.name) order by d.sort_order)
        from app_user_department x join department d on d.id = x.department_id where x.user_id = u.id), '[]')`.as(
        'departments',
      ),
    )
    .where('u.deleted_at', 'is', null)

/** Opens a session in which the administrator sees what this user sees, and records its start under both names. */
export const viewAs = async (
  trx: Trx,
  actor: Actor,
  requestId: string,
  userId: number,
  reason: string,
  from: SessionOrigin,
): Promise<ViewSession> => {
  const user = await sessionUsers(trx)
    .where('u.id', '=', userId)
    .where((eb) => eb.not(eb.ref('u.is_api_client')))
    .executeTakeFirst()
  if (!user) throw notFound('User')
  if (userId === actor.userId) throw invalid('id', 'You see this already: it is your own account')
  if (user.status_code !== 'ACT') throw conflict(messages.accountDisabled)
  const { token, endsAt } = await openViewSession(trx, { userId, viewerSessionId: actor.sessionId, reason }, from)
  const name = actorName(user)
  await recordAudit(trx, { ...actor, viewer: actor, name }, requestId, {
    entity: 'app_user',
    entityId: userId,
    action: 'VIEW_AS',
    new: { Viewer: actor.name, User: name, Until: endsAt },
    reason,
  })
  return { ...sessionOf(user, token), viewAs: { userId, name, endsAt } }
}

/** Records the end of a view under both names. */
export const recordViewEnd = (trx: Trx, viewed: Pick<Actor, 'userId' | 'name' | 'viewer'>, requestId: string | null) =>
  recordAudit(trx, viewed, requestId, {
    entity: 'app_user',
    entityId: viewed.userId,
    action: 'VIEW_AS_END',
    old: { Viewer: viewed.viewer?.name, User: viewed.name },
  })

/** Ends the session of this device, and the sign-in at the pool behind it. */
export const endSession = async (trx: Trx, services: Services, actor: Actor, requestId: string) => {
  const [ended] = await closeSessions(trx, 'SIGN_OUT', sql`id = ${actor.sessionId}`)
  if (actor.viewer) return recordViewEnd(trx, actor, requestId)
  if (ended?.origin) await services.identity.revoke(trx, ended.origin)
  await recordAudit(trx, actor, requestId, { entity: 'app_user', entityId: actor.userId, action: 'SIGN_OUT' })
}

/** After a new password, ends all sessions but those of the sign-in `but` where it was changed. */
export const endSessionsOf = (trx: Trx, userName: string, reason: string, but: string | null = null) =>
  closeSessions(
    trx,
    reason,
    sql`origin is distinct from ${but} and user_id in (select id from app_user where user_name = ${userName})`,
  )

/** Changes the user's own password; every other device is signed out. */
export const changePassword = async (
  { db, body, services, request }: PasswordChange,
  toApiError: (error: unknown) => never,
) => {
  const { accessToken, currentPwd, newPwd } = body
  const { userName, origin } = await services.identity.verifyAccessToken(accessToken).catch(asApiError)
  await services.identity.changePassword(accessToken, currentPwd, newPwd, originOf(request)).catch(toApiError)
  await endSessionsOf(db, userName, 'PASSWORD_CHANGED', origin)
}

type PasswordChange = Pick<Context<(typeof sessionRoutes)['changePassword']>, 'db' | 'body' | 'services' | 'request'>
