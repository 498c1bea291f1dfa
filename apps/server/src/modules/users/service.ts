import { randomInt } from 'node:crypto'
import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import {
  entityLabels,
  entityTypeOf,
  type User,
  type UserChange,
  type UserCreate,
  type UserUpdate,
  userLabels,
} from '@lis/contract/users.ts'
import { sql } from 'kysely'
import { type AuditActor, type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { closeSessions } from '../../platform/auth/sessions.ts'
import type { Trx } from '../../platform/db/db.ts'
import { AppError, conflict, forbidden, invalid, notFound } from '../../platform/errors.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { IdentityError } from '../../platform/identity/provider.ts'
import { missingGateway } from '../../platform/messaging/open-transports.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import type { Services } from '../../platform/services.ts'
import {
  entityValues,
  findUser,
  isNameTaken,
  lockEntity,
  lockUser,
  setDepartments,
  unknownDepartments,
} from './queries.ts'

/** The transaction of a write, its actor and its request. */
export interface Write {
  trx: Trx
  actor: Pick<Actor, 'userId' | 'name'>
  requestId: string
  services: Services
}

/** The first account has no user as its actor. */
export interface NewUserWrite extends Omit<Write, 'actor' | 'requestId'> {
  actor: AuditActor
  requestId: string | null
}

const audit = ({ trx, actor, requestId }: NewUserWrite, id: number, record: Omit<AuditRecord, 'entity' | 'entityId'>) =>
  recordAudit(trx, actor, requestId, { entity: 'app_user', entityId: id, ...record })

export const getUser = async (trx: Trx, id: number): Promise<User> => {
  const found = await findUser(trx, id)
  if (!found) throw notFound('User')
  return found
}

const requireKnown = async (trx: Trx, input: Pick<UserCreate, 'userRoleCode' | 'entityId' | 'deptIds'>) => {
  const type = entityTypeOf(input.userRoleCode)
  if (type && !(await lockEntity(trx, input.userRoleCode, input.entityId)))
    throw invalid('entityId', messages.invalid(entityLabels[type]))
  if ((await unknownDepartments(trx, input.deptIds)).length > 0)
    throw invalid('deptIds', messages.invalid(userLabels.deptIds))
}

const columnsOf = (input: UserUpdate) => ({
  first_name: input.userFirstName,
  last_name: input.userLastName,
  email: input.userEmail,
  phone: input.userPhone,
  role_code: input.userRoleCode,
  is_subscribed: input.isSubscribed === 1,
  ...entityValues(input.userRoleCode, input.entityId),
})

/** Creates the account and invites the person: a mail with a temporary password that must be changed at the first sign-in. */
export const createUser = async (
  write: NewUserWrite,
  input: UserCreate,
): Promise<{ id: number; temporaryPassword: string }> => {
  const { trx, services } = write
  if (await isNameTaken(trx, input.userName)) throw invalid('userName', 'Username is already taken')
  await requireKnown(trx, input)
  const { id } = await trx
    .insertInto('app_user')
    .values({ user_name: input.userName, created_by: write.actor.userId, ...columnsOf(input) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setDepartments(trx, id, input.deptIds)
  const temporaryPassword = makeTemporaryPassword()
  await services.identity
    .createUser(trx, { userId: id, userName: input.userName, temporaryPassword })
    .catch((error: unknown) => {
      throw isTakenInPool(error) ? invalid('userName', takenInPool(input.userName)) : error
    })
  await sendInvitation(write, id, temporaryPassword)
  await audit(write, id, { action: 'CREATE', new: withoutDerived(await getUser(trx, id)) })
  return { id, temporaryPassword }
}

/** An external user pool may have accounts of other applications. */
const isTakenInPool = (error: unknown) => error instanceof IdentityError && error.name === 'UsernameExistsException'
const takenInPool = (userName: string) => `The user pool has another account named ${userName}`

const sendInvitation = async ({ trx, services }: NewUserWrite, id: number, temporaryPassword: string) => {
  const { publicUrl, TEMPORARY_PASSWORD_DAYS } = services.config
  const user = await trx
    .selectFrom('app_user')
    .select(['first_name', 'user_name', 'email', 'subscription_token'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await queueMessage(trx, {
    channel: 'EMAIL',
    to: user.email,
    subject: 'Your account in the Lab Information System (LIS)',
    body: `Hello ${user.first_name},\n\nan account has been made for you.\n\nAddress: ${publicUrl}/login\nUsername: ${user.user_name}\nTemporary password: ${temporaryPassword}\n\nThe temporary password is valid for ${TEMPORARY_PASSWORD_DAYS} days; you choose your own at the first sign-in.\n\nUnsubscribe: ${publicUrl}/unsubscribe/${user.subscription_token}`,
  })
}

const letters = {
  upper: 'ABCDEFGHJKLMNPQRSTUVWXYZ',
  lower: 'abcdefghijkmnpqrstuvwxyz',
  digit: '23456789',
  special: '!@#$%^&*()~',
}

/** Meets all password rules; without characters that look alike, since people type it from paper. */
const makeTemporaryPassword = (): string => {
  const pick = (from: string) => from[randomInt(from.length)] as string
  const rest = Array.from({ length: 14 }, () => pick(letters.upper + letters.lower + letters.digit))
  const all = [...Object.values(letters).map(pick), ...rest]
  for (let last = all.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[all[last], all[other]] = [all[other] as string, all[last] as string]
  }
  return all.join('')
}

/** A new role or entity changes what the user may see, so it ends all their sessions. */
export const updateUser = async (
  write: Write,
  id: number,
  sent: UserChange,
  expected: number | null,
): Promise<User> => {
  const { trx, actor, services } = write
  if (sent.userRoleCode !== 'MGMT') await requireStillPermitted(write, 'users.write')
  await lockUser(trx, id)
  const before = await getUser(trx, id)
  await requireVersion(trx, 'app_user', expected, before)
  const input = mergedUser(before, sent)
  if (id === actor.userId && input.userRoleCode !== before.userRoleCode)
    throw invalid('userRoleCode', 'You cannot change your own role')
  await requireKnown(trx, input)
  await trx
    .updateTable('app_user')
    .set({ ...columnsOf(input), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  if (sent.deptIds) await setDepartments(trx, id, sent.deptIds)
  const after = await getUser(trx, id)
  const isOther = after.userRoleCode !== before.userRoleCode || after.entityId !== before.entityId
  if (isOther) await endSessions(write, before, 'ROLE_CHANGED')
  await audit(write, id, {
    action: isOther ? 'ROLE' : 'UPDATE',
    old: withoutDerived(before),
    new: withoutDerived(after),
  })
  const { userName, userEmail: email, userPhone: phone } = after
  // An external pool stores its own copy: codes would still be sent to the old phone.
  if (email !== before.userEmail || phone !== before.userPhone)
    await ignoreUnknownUser(services.identity.updateContact(trx, userName, { email, phone }))
  return after
}

/** A role with another kind of entity needs an entity of that kind. */
const mergedUser = (before: User, sent: UserChange): UserUpdate => {
  const type = entityTypeOf(sent.userRoleCode ?? before.userRoleCode)
  const entityId = type === entityTypeOf(before.userRoleCode) ? before.entityId : null
  const merged = mergeUpdate<UserUpdate>({ ...before, entityId }, sent)
  if (type && merged.entityId === null) throw invalid('entityId', messages.required(entityLabels[type]))
  return merged
}

/**
 * Two managers who remove each other's account or role at the same time would leave nobody to manage users. The lock serializes them,
 * and the second no longer has the permission.
 */
const requireStillPermitted = async ({ trx, actor }: Write, permission: 'users.write' | 'users.manage') => {
  await sql`select pg_advisory_xact_lock(hashtext('app_user.managers'))`.execute(trx)
  const user = await trx
    .selectFrom('app_user')
    .select((eb) => eb.ref('role_code').$castTo<Role>().as('role'))
    .where('id', '=', actor.userId)
    .where('status_code', '=', sql.lit('ACT'))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!user || !can(user.role, permission)) throw forbidden()
}

export const setUserStatus = async (
  write: Write,
  id: number,
  status: 'ACT' | 'LCK',
  expected: number | null,
): Promise<User> => {
  const { trx, actor, services } = write
  if (status === 'LCK') await requireStillPermitted(write, 'users.manage')
  await lockUser(trx, id)
  const before = await getUser(trx, id)
  await requireVersion(trx, 'app_user', expected, before)
  if (before.userStatusCode === status) return before
  if (id === actor.userId) throw invalid('userStatusCode', 'You cannot disable your own account')
  await trx
    .updateTable('app_user')
    .set({ status_code: status, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  if (status === 'LCK') {
    await endSessions(write, before, 'DISABLED')
    await ignoreUnknownUser(services.identity.disableUser(trx, before.userName))
  } else await services.identity.enableUser(trx, before.userName)
  await audit(write, id, {
    action: status === 'LCK' ? 'DISABLE' : 'ENABLE',
    old: { userStatusCode: before.userStatusCode },
    new: { userStatusCode: status },
  })
  return getUser(trx, id)
}

/** Ends the lockout after wrong passwords or codes. The password stays. */
export const unlockUser = async (write: Write, id: number): Promise<User> => {
  const { trx, services } = write
  await lockUser(trx, id)
  const { lockedUntilDate, userName } = await getUser(trx, id)
  if (lockedUntilDate) {
    await services.identity.forgetAttempts(trx, userName)
    await audit(write, id, { action: 'UNLOCK', old: { lockedUntilDate }, new: { lockedUntilDate: null } })
  }
  return getUser(trx, id)
}

/** For a user who has lost the authenticator app. Ends all sessions, so that a finder of the device is signed out too. */
export const resetSecondFactor = async (write: Write, id: number) => {
  const { trx, actor, services } = write
  if (id === actor.userId) throw conflict('Choose your own second factor in your profile')
  await lockUser(trx, id)
  const user = await getUser(trx, id)
  const { identityPool } = services
  if (identityPool && !identityPool.canSendSms) throw conflict(missingGateway('SMS'))
  await services.identity.sendCodesBySms(trx, user.userName).catch((error: unknown) => {
    if (isUnknown(error)) throw unknownToPool()
    throw error instanceof IdentityError && error.name === 'InvalidParameterException' ? conflict(error.message) : error
  })
  await endSessions(write, user, 'SECOND_FACTOR')
  await audit(write, id, { action: 'RESET_SECOND_FACTOR' })
}

/**
 * Sends a link to set a new password. An external pool sends none to an invited user who has never signed in and whose temporary
 * password may have expired: that user is invited again, and the result is the address of the invitation.
 */
export const sendPasswordLink = async (write: Write, id: number): Promise<string | null> => {
  const { trx, services } = write
  const user = await getUser(trx, id)
  if (user.userStatusCode === 'LCK') throw conflict(messages.accountDisabled)
  try {
    await services.identity.sendResetLink(user.userName, null)
  } catch (error) {
    if (isUnknown(error)) throw unknownToPool()
    if (!(error instanceof IdentityError && error.name === 'OnlyInvitedException')) throw error
    const temporaryPassword = makeTemporaryPassword()
    await services.identity.setPassword(trx, user.userName, temporaryPassword, false)
    await sendInvitation(write, id, temporaryPassword)
    await audit(write, id, { action: 'INVITE_AGAIN' })
    return user.userEmail
  }
  await audit(write, id, { action: 'SEND_RESET_LINK' })
  return null
}

export const removeUsers = async (write: Write, ids: readonly number[]) => {
  const { trx, actor, services } = write
  if (ids.includes(actor.userId)) throw new AppError('conflict', 'You cannot delete your own account')
  await requireStillPermitted(write, 'users.write')
  for (const id of [...ids].sort((a, b) => a - b)) {
    await lockUser(trx, id)
    const before = await getUser(trx, id)
    await endSessions(write, before, 'DELETED')
    await ignoreUnknownUser(services.identity.deleteUser(trx, before.userName))
    await trx
      .updateTable('app_user')
      .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute()
    await audit(write, id, { action: 'DELETE', old: withoutDerived(before) })
  }
}

/** Enables sign-in for a restored user; gives a note for the administrator. */
export const restoreSignIn = async (write: Write, user: User): Promise<string | undefined> => {
  const { trx, services } = write
  const { id, userName, userStatusCode } = user
  const temporaryPassword = makeTemporaryPassword()
  const { isNew } = await services.identity
    .restoreUser(trx, { userId: id, userName, temporaryPassword })
    .catch((error: unknown) => {
      throw isTakenInPool(error) ? conflict(takenInPool(userName)) : error
    })
  const isDisabled = userStatusCode === 'LCK'
  if (!isNew) return isDisabled ? 'The account is disabled, as it was.' : undefined
  if (isDisabled) {
    await services.identity.disableUser(trx, userName)
    return 'The account is disabled, as it was; enable it and send a password link.'
  }
  await sendInvitation(write, id, temporaryPassword)
  return `An invitation with a temporary password goes to ${user.userEmail}.`
}

const endSessions = async ({ trx, services }: Write, user: User, reason: string) => {
  await closeSessions(trx, reason, sql`user_id = ${user.id}`)
  await ignoreUnknownUser(services.identity.signOutEverywhere(trx, user.userName))
}

/** A user who is missing in the pool can be locked or deleted nevertheless. */
const ignoreUnknownUser = (ended: Promise<void>) =>
  ended.catch((error: unknown) => {
    if (!isUnknown(error)) throw error
  })

const isUnknown = (error: unknown) => error instanceof IdentityError && error.name === 'UserNotFoundException'
const unknownToPool = () => conflict('The user pool does not know this person')

export const updateProfile = async (
  write: Write,
  sent: { userFirstName?: string | undefined; userLastName?: string | undefined },
  expected: number | null,
): Promise<User> => {
  const { trx, actor } = write
  await lockUser(trx, actor.userId)
  const before = await getUser(trx, actor.userId)
  await requireVersion(trx, 'app_user', expected, before)
  const { userFirstName, userLastName } = before
  const input = mergeUpdate({ userFirstName, userLastName }, sent)
  await trx
    .updateTable('app_user')
    .set({ first_name: input.userFirstName, last_name: input.userLastName, version: sql<number>`version + 1` })
    .where('id', '=', actor.userId)
    .execute()
  await audit(write, actor.userId, { action: 'UPDATE', old: { userFirstName, userLastName }, new: input })
  return getUser(trx, actor.userId)
}

/** Ends one of the person's own sessions, on this device or another. */
export const endOwnSession = async (write: Write, sessionId: string) => {
  const { trx, actor, services } = write
  const [ended] = await closeSessions(trx, 'SIGN_OUT', sql`id = ${sessionId} and user_id = ${actor.userId}`)
  if (!ended) throw notFound('Session')
  if (ended.origin) await services.identity.revoke(trx, ended.origin)
  await audit(write, actor.userId, { action: 'SIGN_OUT', new: { sessionId } })
}

/** The token identifies one user and permits nothing else. Idempotent. */
export const setSubscription = async (trx: Trx, requestId: string, token: string, isSubscribed: boolean) => {
  const user = await trx
    .updateTable('app_user')
    .set({
      is_subscribed: isSubscribed,
      version: sql<number>`version + case when is_subscribed = ${isSubscribed} then 0 else 1 end`,
    })
    .where('subscription_token', '=', token)
    .where('deleted_at', 'is', null)
    .returning(['id', 'first_name', 'last_name'])
    .executeTakeFirst()
  if (!user) throw new AppError('notFound', 'This link is not valid.')
  const actor = { userId: user.id, name: `${user.first_name} ${user.last_name}` }
  await recordAudit(trx, actor, requestId, {
    entity: 'app_user',
    entityId: user.id,
    action: isSubscribed ? 'RESUBSCRIBE' : 'UNSUBSCRIBE',
  })
}

export const withoutDerived = ({
  id: _,
  userId: __,
  version: ___,
  userRoleDesc: ____,
  userStatusDesc: _____,
  lastLogonDate: ______,
  lockedUntilDate: _______,
  ...audited
}: User) => audited
