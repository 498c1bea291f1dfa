import { z } from 'zod'
import { type Role, roles, roleTable } from './access/roles.ts'
import { bulkIds } from './kit/bulk.ts'
import { done, exported, list, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { email, flag01, optionalId, phoneCreate, phoneEdit, required, requiredIds } from './validation.ts'

/** ACT enabled, LCK disabled. */
const userStatuses = ['ACT', 'LCK'] as const

/** One label per field: messages, table headers and forms read it. */
export const userLabels = {
  userName: 'Username',
  userFirstName: 'First Name',
  userLastName: 'Last Name',
  userEmail: 'Email',
  userPhone: 'Phone',
  userRoleCode: 'Role',
  entityName: 'Entity',
  deptIds: 'Department',
  depts: 'Departments',
  isSubscribed: 'Subscribed',
  userStatusCode: 'Status',
  lastLogonDate: 'Last Logon',
} as const

/** The label of the entity picker per entity type. */
export const entityLabels = {
  CLIENT: 'Client',
  COLLABORATOR: 'Collaborator',
  PHYSICIAN: 'Physician',
  SALES: 'Sales',
  LAB: 'Lab',
} as const

/** The entity type of a role's accounts; null for roles without one. */
export const entityTypeOf = (role: string) => roleTable.find((row) => row.userRoleCode === role)?.entityType ?? null

const name = (label: string) => required(label, 100)
const role = z.enum(roles, { error: messages.required(userLabels.userRoleCode) })

const common = {
  userFirstName: name(userLabels.userFirstName),
  userLastName: name(userLabels.userLastName),
  userEmail: email(userLabels.userEmail),
  userRoleCode: role,
  deptIds: requiredIds(userLabels.deptIds),
  isSubscribed: flag01.default(0),
  entityId: optionalId('Entity'),
}

/** The role decides which entity picker is shown; its value is required, and values of hidden pickers are dropped. */
const withEntity = <T extends z.ZodType<{ userRoleCode: Role; entityId: number | null }>>(schema: T) =>
  schema.superRefine((user, context) => {
    const type = entityTypeOf(user.userRoleCode)
    if (type && user.entityId === null)
      context.addIssue({ code: 'custom', path: ['entityId'], message: messages.required(entityLabels[type]) })
  })

export const userCreate = withEntity(
  z.object({
    ...common,
    userName: required(userLabels.userName, 64).regex(/^[\p{L}\p{N}._@+-]+$/u, messages.invalid(userLabels.userName)),
    userPhone: phoneCreate,
  }),
)
export const userUpdate = withEntity(z.object({ ...common, userPhone: phoneEdit }))
/** PUT changes only the fields that are sent. */
const userChange = z.object(updateFields({ ...common, isSubscribed: flag01, userPhone: phoneEdit }))
export type UserChange = z.infer<typeof userChange>
const userStatusInput = z.object({
  userStatusCode: z.enum(userStatuses, { error: messages.invalid(userLabels.userStatusCode) }),
})
export const profileInput = z.object({ userFirstName: common.userFirstName, userLastName: common.userLastName })

const profileUpdate = z.object(updateFields(profileInput.shape))

const time = z.iso.datetime({ offset: true })

const user = z.object({
  id: z.number().int(),
  /** The same as `id`; the specification has both. */
  userId: z.number().int(),
  userFirstName: z.string(),
  userLastName: z.string(),
  /** Digits with the country code. */
  userPhone: z.string(),
  userEmail: z.string(),
  userName: z.string(),
  userRoleCode: z.enum(roles),
  userRoleDesc: z.string(),
  userStatusCode: z.enum(userStatuses),
  userStatusDesc: z.string(),
  deptIds: z.array(z.number().int()),
  depts: z.array(z.object({ deptId: z.number().int(), deptName: z.string() })),
  isSubscribed: flag01,
  entityId: z.number().int().nullable(),
  entityName: z.string().nullable(),
  userCreateDate: time,
  lastLogonDate: time.nullable(),
  /** Set while the user still has a temporary password. */
  tempPwdExpiredDate: time.nullable(),
  /** Set while the account is locked after too many wrong passwords or codes. */
  lockedUntilDate: time.nullable(),
  version: z.number().int(),
})
export type User = z.infer<typeof user>
export type UserCreate = z.infer<typeof userCreate>
export type UserUpdate = z.infer<typeof userUpdate>

/** An active session of the user. */
const ownSession = z.object({
  id: z.string(),
  device: z.string(),
  ip: z.string().nullable(),
  createDate: time,
  lastSeenDate: time,
  isCurrent: flag01,
})
export type OwnSession = z.infer<typeof ownSession>

const userListFields = [
  'id',
  'userName',
  'userFirstName',
  'userLastName',
  'userEmail',
  'userPhone',
  'userRoleDesc',
  'entityName',
  'userStatusDesc',
  'lastLogonDate',
] as const
const userFilterFields = [
  'id',
  'userName',
  'userFirstName',
  'userLastName',
  'userEmail',
  'userRoleCode',
  'userStatusCode',
  'deptId',
  'search',
] as const
const listed = listQuery({ sort: userListFields, filter: userFilterFields, defaultPerPage: 10 })

const token = z.object({ token: z.string().regex(/^[0-9a-f-]{36}$/i, 'This link is not valid.') })
const ofUser = z.object({ userId: idParam })

export const userRoutes = {
  list: get('users', { access: 'users.list', query: listed, reply: page(user) }),
  export: get('users/export', {
    isReportApi: true,
    access: 'users.list',
    query: listed,
    reply: exported,
    makesFile: true,
  }),
  one: get('users/:id', {
    access: 'profile.own',
    summary: "The user's own record; any record with 'users.list'",
    params: byId,
    reply: one(user),
  }),
  setStatus: put('users/:id', { access: 'users.manage', params: byId, body: userStatusInput, reply: one(user) }),
  unlock: put('mfa/users/:id/unlock', {
    access: 'users.manage',
    summary: 'Unlocks an account that is locked after wrong passwords or codes',
    params: byId,
    reply: one(user),
  }),
  resetSecondFactor: put('mfa/users/:id/second_factor', {
    access: 'users.manage',
    summary: 'For a lost authenticator app: switches the second factor to the phone and ends every session',
    params: byId,
    reply: done,
  }),
  create: post('mfa/users', { access: 'users.write', body: userCreate, reply: newId }),
  update: put('mfa/users/:id', { access: 'users.write', params: byId, body: userChange, reply: one(user) }),
  remove: del('mfa/users/:id', { access: 'users.write', params: byId, reply: done }),
  removeMany: del('mfa/users/bulk_delete', { access: 'users.write', query: bulkIds, reply: done }),
  removeListed: del('mfa/users', { access: 'users.write', query: bulkIds, reply: done }),
  sendPasswordLink: put('mfa/reset_pwd/:userId', {
    access: 'users.manage',
    params: ofUser,
    body: z.object({ adminId: optionalId('Admin') }),
    reply: done,
  }),
  updateProfile: put('mfa/profile/:userId', {
    access: 'profile.own',
    params: ofUser,
    body: profileUpdate,
    reply: one(user),
  }),
  ownSessions: get('mfa/profile/sessions', { access: 'profile.own', reply: list(ownSession) }),
  endOwnSession: del('mfa/profile/sessions/:sessionId', {
    access: 'profile.own',
    params: z.object({ sessionId: z.uuid() }),
    reply: done,
  }),
  unsubscribe: put('users/:token/unsubscribe', { access: 'public', params: token, reply: done }),
  resubscribe: put('users/:token/resubscribe', { access: 'public', params: token, reply: done }),
}
