import { can } from '@lis/contract/access/permissions.ts'
import { messages } from '@lis/contract/messages.ts'
import { userLabels, userRoutes } from '@lis/contract/users.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { momentCell } from '../../platform/export-cells.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { getHomeZone } from '../../platform/home-zone.ts'
import { type Context, implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { findUser, listOwnSessions, userList } from './queries.ts'
import {
  createUser,
  endOwnSession,
  removeUsers,
  resetSecondFactor,
  sendPasswordLink,
  setSubscription,
  setUserStatus,
  unlockUser,
  updateProfile,
  updateUser,
  type Write,
} from './service.ts'

const columnsIn = (homeZone: string): ExportColumn[] => [
  { header: userLabels.userName, field: 'userName' },
  { header: userLabels.userFirstName, field: 'userFirstName' },
  { header: userLabels.userLastName, field: 'userLastName' },
  { header: userLabels.userEmail, field: 'userEmail' },
  { header: userLabels.userPhone, field: 'userPhone' },
  { header: userLabels.userRoleCode, field: 'userRoleDesc' },
  { header: userLabels.entityName, field: 'entityName' },
  { header: userLabels.userStatusCode, field: 'userStatusDesc' },
  {
    header: userLabels.lastLogonDate,
    field: 'lastLogonDate',
    cell: (value) => (value ? momentCell(String(value), homeZone) : null),
  },
]

const writeOf = ({
  db,
  actor,
  requestId,
  services,
}: Pick<Context<(typeof userRoutes)['update']>, 'db' | 'actor' | 'requestId' | 'services'>): Write => ({
  trx: db,
  actor,
  requestId,
  services,
})

export const usersModule = implement(userRoutes, {
  list: ({ db, query }) => listPage(db, userList, query),
  export: async (context) => {
    const columns = columnsIn(await getHomeZone(context.db))
    return exportList(context, { name: 'users', list: userList, query: context.query, columns })
  },
  one: async ({ db, actor, params }) => {
    // Somebody else's record does not exist for those who may not list users.
    const mayRead = params.id === actor.userId || can(actor.role, 'users.list')
    const found = mayRead ? await findUser(db, params.id) : undefined
    if (!found) throw notFound('User')
    return { data: found, message: '' }
  },
  setStatus: async (context) => {
    const { params, body, request } = context
    return {
      data: await setUserStatus(writeOf(context), params.id, body.userStatusCode, expectedVersion(request)),
      message: messages.updated,
    }
  },
  unlock: async (context) => ({
    data: await unlockUser(writeOf(context), context.params.id),
    message: 'The person can try again now',
  }),
  resetSecondFactor: async (context) => {
    await resetSecondFactor(writeOf(context), context.params.id)
    return { message: 'Codes go to the phone now' }
  },
  create: async (context) => {
    const { id } = await createUser(writeOf(context), context.body)
    return { data: { id }, message: messages.created }
  },
  update: async (context) => {
    const { params, body, request } = context
    return {
      data: await updateUser(writeOf(context), params.id, body, expectedVersion(request)),
      message: messages.updated,
    }
  },
  remove: async (context) => {
    await removeUsers(writeOf(context), [context.params.id])
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    await removeUsers(writeOf(context), context.query.id)
    return { message: messages.deleted }
  },
  removeListed: async (context) => {
    await removeUsers(writeOf(context), context.query.id)
    return { message: messages.deleted }
  },
  sendPasswordLink: async (context) => {
    const { actor, params, body } = context
    if (body.adminId !== null && body.adminId !== actor.userId) throw invalid('adminId', 'adminId must be your own id')
    const invited = await sendPasswordLink(writeOf(context), params.userId)
    return {
      message: invited ? `An invitation with a new temporary password goes to ${invited}.` : 'Password reset link sent',
    }
  },
  updateProfile: async (context) => {
    if (context.params.userId !== context.actor.userId) throw notFound('User')
    return {
      data: await updateProfile(writeOf(context), context.body, expectedVersion(context.request)),
      message: messages.updated,
    }
  },
  ownSessions: async ({ db, actor, services }) => ({
    data: await listOwnSessions(db, actor, services.config.SESSION_IDLE_SECONDS),
    message: '',
  }),
  endOwnSession: async (context) => {
    await endOwnSession(writeOf(context), context.params.sessionId)
    return { message: 'Signed out' }
  },
  unsubscribe: async ({ db, params, requestId }) => {
    await setSubscription(db, requestId, params.token, false)
    return { message: 'You have been unsubscribed.' }
  },
  resubscribe: async ({ db, params, requestId }) => {
    await setSubscription(db, requestId, params.token, true)
    return { message: 'You have been resubscribed.' }
  },
})
