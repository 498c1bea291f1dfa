import type { Resource } from '@medplum/fhirtypes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SubjectIds } from '../../platform/audit/access-log.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { addJsonParser } from '../../platform/http/json-parser.ts'
import { fhirPath } from '../interfaces/fhir-references.ts'
import { pdfType, readBinary } from './binary.ts'
import type { FhirCall, FhirDeps } from './call.ts'
import { withoutPatients } from './calls.ts'
import { capabilityStatement, smartConfiguration } from './capability.ts'
import { type FhirType, readRows, subjectsOf } from './definition.ts'
import { answerFault, fhirJson } from './error-answers.ts'
import { findEverything } from './everything.ts'
import { answerExport, answerExportState } from './export.ts'
import { FhirFault, issue, missingScope, notOffered, preconditionFailed, unknownResource } from './faults.ts'
import { answerTransaction } from './order.ts'
import type { Reader } from './reader.ts'
import { mayDo } from './scopes.ts'
import { search } from './search.ts'
import { isFhirType } from './type-names.ts'
import { findType } from './types.ts'
import { etagOf, makeResource, namesTag } from './versions.ts'

const metadataPath = 'metadata'
const smartPath = '.well-known/smart-configuration'

/** FHIR R4 under `/fhir/R4`. */
export const fhirServer = async (app: FastifyInstance, deps: FhirDeps) => {
  addJsonParser(app, 'application/fhir+json')
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, String(body)),
  )
  app.setErrorHandler((error: Error, request, reply) => answerFault(error, request, reply))
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${fhirPath}/*`,
    handler: (request, reply) => answer(deps, request, reply),
  })
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: fhirPath,
    handler: (request, reply) => answer(deps, request, reply),
  })
}

const answer = async (deps: FhirDeps, request: FastifyRequest, reply: FastifyReply) => {
  const path = (request.params as { '*'?: string })['*'] ?? ''
  const { publicUrl } = deps.services.config
  const base = `${publicUrl}${fhirPath}`
  if (path === smartPath && request.method === 'GET')
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(smartConfiguration(publicUrl)))
  requireJson(request, path)
  if (path === metadataPath && request.method === 'GET')
    return sendResource(reply, capabilityStatement(base, `${publicUrl}/oauth2/token`))
  const actor = await requireClient(deps, request)
  const reader: Reader = { db: deps.services.databases(actor.scope), actor, base }
  return dispatch({ ...deps, actor, reader, request, reply }, path.split('/').filter(Boolean))
}

/** JSON is the only format; a request for XML alone is refused. A Binary also has its own type. */
const requireJson = ({ headers, url }: FastifyRequest, path: string) => {
  const format = parametersOf(url).get('_format')
  const isXml = (text: string) => /xml/i.test(text) || /turtle/i.test(text)
  const accepted = (headers.accept ?? '*/*').split(',').map((one) => one.split(';')[0]?.trim() ?? '')
  const isBinary = path.startsWith('Binary/')
  const takesJson = accepted.some((one) => /^\*\/\*$|^application\/\*$|json/.test(one) || one === '') || isBinary
  if (format === null ? takesJson : !isXml(format)) return
  throw new FhirFault(406, [issue('not-supported', 'The only format is JSON (application/fhir+json)')])
}

const parametersOf = (url: string) => new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

const requireClient = async ({ authenticate }: FhirDeps, request: FastifyRequest): Promise<Actor> => {
  const actor = await authenticate(request)
  if (!actor) throw new AppError('unauthenticated', 'An access token is needed (Authorization: Bearer)')
  if (!actor.apiClient) throw missingScope('FHIR is open to API clients, with a token of POST /oauth2/token')
  return actor
}

const dispatch = (call: FhirCall, segments: readonly string[]) => {
  const { request } = call
  const [name = '', id, third] = segments
  if (segments.length === 0) {
    if (request.method !== 'POST') throw notOffered('Send a transaction Bundle by POST', 'POST')
    return answerTransaction(call)
  }
  if (name === '$export' && segments.length <= 2)
    return id === undefined ? answerExport(call, 'everything', parametersOf(request.url)) : answerExportState(call, id)
  if (name === 'Patient' && id === '$export' && third === undefined)
    return answerExport(call, 'patients', parametersOf(request.url))
  const isType = isFhirType(name)
  // No id begins with one of these.
  const isInteraction = /^[_$]/.test(isType ? (id ?? '') : name) && id !== '_search'
  if (isInteraction || [metadataPath, smartPath].includes(segments.join('/')))
    throw notOffered(`${request.method} ${segments.join('/').slice(0, 60)} is not offered`, 'GET')
  if (!isType) throw unknownResource(`The type ${name.slice(0, 60)} is not known here`)
  const definition = findType(name)
  if (id === undefined) {
    if (request.method !== 'GET' || !definition) throw notOffered(`${request.method} ${name} is not offered`, 'GET')
    return answerSearch(call, definition, parametersOf(request.url))
  }
  if (id === '_search' && definition && third === undefined) {
    if (request.method !== 'POST') throw notOffered(`${request.method} _search is not offered`, 'POST')
    return answerSearch(call, definition, searchForm(request))
  }
  if (name === 'Patient' && third === '$everything' && segments.length === 3 && request.method === 'GET') {
    if (!mayDo(call.actor, name, 'r')) throw missingScope('The access token does not have the scope system/Patient.r')
    return answerEverything(call, id)
  }
  if (third !== undefined || request.method !== 'GET')
    throw notOffered(`${request.method} ${name}/{id}${third === undefined ? '' : `/${third}`} is not offered`, 'GET')
  if (!mayDo(call.actor, name, 'r')) throw missingScope(`The access token does not have the scope system/${name}.r`)
  return definition ? answerRead(call, definition, id) : answerBinary(call, id)
}

/** The parameters of the form, after those of the URL. */
const searchForm = ({ url, body }: FastifyRequest): URLSearchParams => {
  const parameters = parametersOf(url)
  if (typeof body === 'string') for (const [name, value] of new URLSearchParams(body)) parameters.append(name, value)
  return parameters
}

const answerSearch = async (call: FhirCall, definition: FhirType, parameters: URLSearchParams) => {
  const { actor, reader, request, reply, services } = call
  if (!mayDo(actor, definition.type, 's'))
    throw missingScope(`The access token does not have the scope system/${definition.type}.s`)
  const { bundle, loaded } = await search(definition, {
    reader,
    databases: services.databases,
    parameters,
    isLenient: /\bhandling\s*=\s*lenient\b/.test(String(request.headers.prefer ?? '')),
    mayRead: (type) => mayDo(actor, type, 'r'),
  })
  for (const one of loaded) services.accessLog.note(request.id, subjectsOf(one.definition, one.rows))
  recordAccess(call, definition.type)
  return sendResource(reply, bundle)
}

const answerRead = async (call: FhirCall, definition: FhirType, id: string) => {
  const { reader, request, reply, services } = call
  const key = definition.keyOf(id)
  const rows = key === null ? [] : await readRows(definition, reader, [key])
  const [row] = rows
  if (!row) throw unknownResource(`${definition.type}/${id.slice(0, 64)} is not known`)
  const resource = makeResource(definition, row, reader)
  const isKnown = isVersionKnown(call, resource)
  services.accessLog.note(request.id, subjectsOf(definition, rows))
  recordAccess(call, `${definition.type}/{id}`)
  if (isKnown) return reply.code(304).send()
  return sendResource(reply, resource)
}

/** Writes the version into the response headers; true when the caller already has it. */
const isVersionKnown = ({ request, reply }: FhirCall, resource: Resource): boolean => {
  const tag = etagOf(resource)
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  if (ifMatch !== undefined && !namesTag(ifMatch, tag)) throw preconditionFailed('The resource has another version')
  void reply.header('etag', tag)
  if (resource.meta?.lastUpdated) void reply.header('last-modified', new Date(resource.meta.lastUpdated).toUTCString())
  return ifNoneMatch !== undefined && namesTag(ifNoneMatch, tag)
}

const answerEverything = async (call: FhirCall, id: string) => {
  const bundle = await findEverything(call, id)
  recordAccess(call, 'Patient/{id}/$everything')
  return sendResource(call.reply, bundle)
}

const answerBinary = async (call: FhirCall, id: string) => {
  const { reader, actor, request, reply, services } = call
  const binary = await readBinary({ db: reader.db, actor, services, requestId: request.id }, id)
  const isKnown = isVersionKnown(call, binary)
  recordAccess(call, 'Binary/{id}')
  if (isKnown) return reply.code(304).send()
  // Sent with its own type unless FHIR is requested.
  if (/json/.test(request.headers.accept ?? '')) return sendResource(reply, binary)
  return reply.type(pdfType).send(Buffer.from(binary.data ?? '', 'base64'))
}

/** With the patients and requisitions that were noted. */
const recordAccess = ({ actor, request, services }: FhirCall, route: string, subjects: SubjectIds = {}) => {
  if (withoutPatients.includes(route.split('/')[0] ?? '')) return
  services.accessLog.record(
    { actor, requestId: request.id, method: request.method, route: `fhir/R4/${route}` },
    subjects,
  )
}

const sendResource = (reply: FastifyReply, resource: Resource) =>
  reply.header('cache-control', 'no-store').type(fhirJson).send(JSON.stringify(resource))
