import { z } from 'zod'
import { type Role, registered } from './access/roles.ts'
import { done, list, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { entityLabels, entityTypeOf } from './users.ts'
import { flag01, optionalId, optionalText, required } from './validation.ts'

export const apiClientLabels = {
  name: 'Name',
  clientId: 'Client ID',
  userRoleCode: 'Role',
  entityId: 'Entity',
  entityName: 'Entity',
  scopes: 'Scopes',
  expiryDate: 'Expires',
  jwks: 'Public Keys',
  jwksUrl: 'Address of Public Keys',
  useSecret: 'Signs in with a secret',
  state: 'State',
  lastUsedDate: 'Last Used',
} as const
const label = apiClientLabels

/** Our own API, or FHIR by SMART: version 2 (`system/Patient.rs`) or 1 (`system/Patient.read`). */
const scopePattern = /^(lis\/(read|write)|system\/(\*|[A-Z][A-Za-z]{1,40})\.(read|write|\*|(?=[cruds])c?r?u?d?s?))$/

const scopes = z
  .array(z.string().trim().regex(scopePattern, messages.invalid(label.scopes)), {
    error: messages.required(label.scopes),
  })
  .min(1, messages.required(label.scopes))
  .max(100, 'At most 100 scopes')
  .transform((all) => [...new Set(all)])

const expiryDate = z
  .union([z.literal('').transform(() => null), z.iso.date(), z.iso.datetime({ offset: true })], {
    error: messages.invalid(label.expiryDate),
  })
  .nullish()
  .transform((value) => value ?? null)

const privateParts = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const key = z.looseObject({ kid: z.string().min(1).max(200), kty: z.enum(['RSA', 'EC']) })
export interface PublicKeys {
  keys: { kid: string; kty: string; [part: string]: unknown }[]
}

/** A set of public keys; several are valid at a time, so that keys can be replaced without a break. */
const jwks = z
  .unknown()
  .optional()
  .transform((value, context): PublicKeys | null => {
    if (value === undefined || value === null) return null
    const fault = faultOfKeys(value)
    if (fault === null) return value as PublicKeys
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  })

const faultOfKeys = (value: unknown): string | null => {
  const set = z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(20) }).safeParse(value)
  if (!set.success) return `${label.jwks} must be a JSON Web Key Set with 1 to 20 keys`
  const { keys } = set.data
  if (keys.some((one) => privateParts.some((part) => part in one)))
    return `${label.jwks} hold a private key: send public keys only, and do not use this one any more`
  if (JSON.stringify(value).length > 50_000) return `${label.jwks} are too long`
  for (const one of keys) {
    if (!key.safeParse(one).success) return `Each of the ${label.jwks} needs a kid, and a kty of RSA or EC`
    if (one.kty === 'RSA' && !(isBase64(one.n) && one.n.length >= 342 && isBase64(one.e)))
      return `The key ${one.kid} must be an RSA key of at least 2048 bits`
    if (one.kty === 'EC' && !(one.crv === 'P-384' && isBase64(one.x) && isBase64(one.y)))
      return `The key ${one.kid} must be an EC key of the curve P-384`
  }
  const kids = keys.map(({ kid }) => kid)
  return new Set(kids).size < kids.length ? `${label.jwks} hold two keys with the same kid` : null
}
const isBase64 = (value: unknown): value is string => typeof value === 'string' && /^[\w-]+$/.test(value)

const shape = {
  name: required(label.name, 100),
  userRoleCode: z.enum(registered, { error: messages.required(label.userRoleCode) }),
  entityId: optionalId(label.entityId),
  scopes,
  expiryDate,
  jwks,
  jwksUrl: optionalText(label.jwksUrl, 500),
  useSecret: flag01.default(0),
}

/** The entity of a role that has none is dropped. */
const entityFault = ({ userRoleCode, entityId }: { userRoleCode: Role; entityId: number | null }) => {
  const type = entityTypeOf(userRoleCode)
  return type && entityId === null ? messages.required(entityLabels[type]) : null
}

export const apiClientInput = z.object(shape).superRefine((input, context) => {
  const fault = entityFault(input)
  if (fault) context.addIssue({ code: 'custom', path: ['entityId'], message: fault })
  const ways = [input.jwks !== null, input.jwksUrl !== null, input.useSecret === 1].filter(Boolean).length
  if (ways !== 1)
    context.addIssue({
      code: 'custom',
      path: ['jwks'],
      message: `Exactly one of ${label.jwks}, ${label.jwksUrl} and a secret is needed`,
    })
})
export type ApiClientInput = z.infer<typeof apiClientInput>

const { useSecret: _, ...changeable } = shape
/** PUT changes only the fields that are sent. */
export const apiClientUpdate = z.object(updateFields(changeable))
export type ApiClientUpdate = z.infer<typeof apiClientUpdate>

const id = z.number().int()
const text = z.string().nullable()
const instant = z.iso.datetime({ offset: true }).nullable()

const apiClientStates = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const

const apiClient = z.object({
  id,
  clientId: z.string(),
  name: z.string(),
  userRoleCode: z.string(),
  userRoleDesc: z.string(),
  entityId: id.nullable(),
  entityName: text,
  scopes: z.array(z.string()),
  expiryDate: text,
  jwks: z.custom<PublicKeys | null>(),
  jwksUrl: text,
  useSecret: flag01,
  state: z.enum(apiClientStates),
  lastUsedDate: instant,
  createDate: instant,
  version: id,
})
export type ApiClient = z.infer<typeof apiClient>

/** The secret is shown once, in the reply that makes it. */
export const apiClientCreated = z.object({ id, clientId: z.string(), clientSecret: text })
const withSecret = one(apiClientCreated)

const fields = [
  'id',
  'name',
  'clientId',
  'userRoleCode',
  'userRoleDesc',
  'entityName',
  'state',
  'lastUsedDate',
  'expiryDate',
] as const
const listed = listQuery({ sort: fields, filter: [...fields, 'entityId', 'search'], defaultPerPage: 25 })

const access = 'apiClients.manage'

export const apiClientRoutes = {
  list: get('api_clients', { access, query: listed, reply: page(apiClient) }),
  /** For the choice of a FHIR interface. */
  choices: get('api_clients/choices', { access, reply: list(z.object({ id, name: z.string() })) }),
  one: get('api_clients/:id', { access, params: byId, reply: one(apiClient) }),
  create: post('api_clients', {
    access,
    summary: 'The secret is in this reply only',
    isReplySecret: true,
    body: apiClientInput,
    reply: withSecret,
  }),
  update: put('api_clients/:id', { access, params: byId, body: apiClientUpdate, reply: one(apiClient) }),
  remove: del('api_clients/:id', { access, params: byId, reply: done }),
  rotateSecret: post('api_clients/:id/rotate_secret', {
    access,
    summary: 'Ends the old secret and its tokens at once',
    isReplySecret: true,
    params: byId,
    reply: withSecret,
  }),
  revoke: post('api_clients/:id/revoke', {
    access,
    summary: 'Ends the client and its tokens at once',
    params: byId,
    reply: done,
  }),
}
