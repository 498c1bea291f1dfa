import { permissions } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { showsPatientData } from '@lis/contract/kit/patient-data.ts'
import { type Access, fillPath, type Route } from '@lis/contract/kit/route.ts'
import { z } from 'zod'
import type { Module } from './implement.ts'

type Json = Record<string, unknown>

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  }) as Json
  return rest
}

/** The roles that an access name stands for. */
export const rolesOf = (access: Access): readonly string[] => {
  if (access === 'public') return ['everybody']
  if (access === 'signedIn') return roles
  return permissions[access]
}

/** A call outside the contract, from the root of the address, which has a protocol of its own. */
export interface OtherCall {
  method: string
  path: string
  roles: string
  summary: string
  /** What its reply is, if not JSON. */
  replyType?: string
  /** It shows patient data, and leaves a row in the access log. */
  patientData?: boolean
}

/** The OpenAPI 3.1 document, generated from the routes of the contract. */
export const openApiDocument = (
  modules: Module[],
  base: string,
  version: string,
  others: readonly OtherCall[] = [],
): Json => {
  const paths: Record<string, Json> = {}
  for (const module of modules) {
    for (const [name, route] of Object.entries(module.routes)) {
      const path = `/${fillPath(route, (parameter) => `{${parameter}}`)}`
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) }
    }
  }
  for (const other of others)
    paths[other.path] = { ...paths[other.path], servers: [{ url: '/' }], [other.method]: otherOperation(other) }
  return {
    openapi: '3.1.0',
    info: { title: 'Lab Information System (LIS)', version },
    servers: [{ url: base }],
    components: {
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer' },
        apiClient: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth2/token', scopes: {} } } },
      },
    },
    paths,
  }
}

const otherOperation = ({
  method,
  path,
  roles: allowed,
  summary,
  replyType = 'application/json',
  patientData = false,
}: OtherCall): Json => ({
  operationId: `${method} ${path}`,
  summary,
  'x-roles': [allowed],
  ...(patientData && { 'x-patient-data': true }),
  ...(allowed === 'everybody' ? {} : { security: [{ apiClient: [] }] }),
  parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: {
    default: { description: 'As its protocol says', content: { [replyType]: { schema: { type: 'object' } } } },
  },
})

const operation = (name: string, route: Route): Json => ({
  operationId: `${route.method.toLowerCase()} ${fillPath(route, (parameter) => `:${parameter}`)}`,
  summary: route.summary ?? name,
  'x-access': route.access,
  'x-roles': rolesOf(route.access),
  ...(showsPatientData(route) && { 'x-patient-data': true }),
  ...(route.access === 'public' ? {} : { security: [{ session: [] }] }),
  parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
  ...(route.asks && { 'x-questions': route.asks }),
  ...(route.body && {
    requestBody: { required: true, content: { 'application/json': { schema: bodySchema(route, route.body) } } },
  }),
  responses: {
    200: {
      description: 'Done',
      content: route.replyType
        ? { [route.replyType]: { schema: { type: 'string', format: 'binary' } } }
        : { 'application/json': { schema: jsonSchema(route.reply, 'output') } },
    },
    ...(route.asks && {
      409: { description: 'With `code: question`: `current.questions` must be answered by `answers` in the body' },
    }),
    default: { description: 'Refused: `message` says why, `errors` names the fields' },
  },
})

const answersSchema = { type: 'object', additionalProperties: { type: 'string' } }

/** A call with questions takes `answers` beside its own fields. */
const bodySchema = (route: Route, body: z.ZodType): Json => {
  const schema = jsonSchema(body, 'input')
  if (!route.asks) return schema
  return { ...schema, properties: { ...(schema.properties as Json | undefined), answers: answersSchema } }
}

const parameters = (schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] => {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }))
}
