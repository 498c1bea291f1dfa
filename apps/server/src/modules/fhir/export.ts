import { sql } from 'kysely'
import { systemScope } from '../../platform/db/scope.ts'
import { cancelJob, findJob, type JobRow } from '../../platform/jobs/job-rows.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import type { FhirCall } from './call.ts'
import { fhirJson } from './error-answers.ts'
import {
  type ExportInput,
  type ExportResult,
  exportJob,
  exportPurpose,
  keptSeconds,
  mayExport,
  ndjson,
} from './export-job.ts'
import { badRequest, FhirFault, issue, missingScope, notOffered, outcomeOf, unknownResource } from './faults.ts'
import { splitValues } from './search-values.ts'
import { fhirTypes } from './types.ts'

/** Types about patients; the others are exported by `$export` only. */
const typesOfPatients = Object.values(fhirTypes)
  .filter(({ type, params }) => type === 'Patient' || params.patient !== undefined)
  .map(({ type }) => type)
const allTypes = Object.values(fhirTypes).map(({ type }) => type)

const formats = [ndjson, 'application/ndjson', 'ndjson']
/** The URL of a file is valid for an hour; asking for the status again gives a new one. */
const addressSeconds = 60 * 60
const mostAtOnce = 5
const pauseSeconds = 5

/** Bulk Data Access: `GET $export` and `GET Patient/$export` start a job, whose files are fetched later. */
export const answerExport = async (call: FhirCall, of: 'everything' | 'patients', parameters: URLSearchParams) => {
  const { actor, reader, request, reply, services } = call
  if (request.method !== 'GET') throw notOffered(`${request.method} $export is not offered`, 'GET')
  const preferences = String(request.headers.prefer ?? '')
  if (!/\brespond-async\b/.test(preferences)) throw badRequest('$export needs the header Prefer: respond-async')
  const isLenient = /\bhandling\s*=\s*lenient\b/.test(preferences)
  const { since, types } = readParameters(parameters, of === 'patients' ? typesOfPatients : allTypes, isLenient)
  const allowed = types.chosen.filter((type) => mayExport(reader, type))
  const [refused] = types.isAsked ? types.chosen.filter((type) => !mayExport(reader, type)) : []
  if (refused !== undefined || allowed.length === 0)
    throw missingScope(`The access token does not have the scope system/${refused ?? '*'}.rs`)
  const input: ExportInput = {
    apiClientId: (actor.apiClient as { id: number }).id,
    sessionId: actor.sessionId,
    request: `${services.config.publicUrl}${request.url}`,
    base: reader.base,
    types: allowed,
    since,
  }
  const { id } = await services
    .databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtext(${`fhir export:${actor.userId}`}))`.execute(trx)
      const { count } = await trx
        .selectFrom('job')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('user_id', '=', actor.userId)
        .where('kind', '=', exportJob.kind)
        .where('state', 'in', ['QUEUED', 'RUNNING'])
        .executeTakeFirstOrThrow()
      if (count >= mostAtOnce)
        throw new FhirFault(429, [issue('throttled', `${count} exports are still being made`)], {
          'retry-after': String(pauseSeconds),
        })
      return startJob(trx, exportJob, input, { userId: actor.userId })
    })
  return reply
    .code(202)
    .header('content-location', `${reader.base}/$export/${id}`)
    .type(fhirJson)
    .send(
      JSON.stringify(
        outcomeOf([{ severity: 'information', code: 'informational', diagnostics: 'The export has begun' }]),
      ),
    )
}

interface ExportParameters {
  since: string | null
  types: { chosen: string[]; isAsked: boolean }
}

const readParameters = (
  parameters: URLSearchParams,
  offered: readonly string[],
  isLenient: boolean,
): ExportParameters => {
  const read: ExportParameters = { since: null, types: { chosen: [...offered], isAsked: false } }
  const asked: string[] = []
  for (const [name, value] of parameters) {
    if (name === '_since') read.since = readInstant(value)
    else if (name === '_type') asked.push(...splitValues(value))
    else if (name === '_outputFormat') {
      // A plus sign in an address means a space.
      if (!formats.includes(value.replaceAll(' ', '+'))) throw badRequest(`_outputFormat must be ${ndjson}`)
    } else if (name !== '_format' && !isLenient) throw badRequest(`Unknown parameter "${name.slice(0, 60)}" of $export`)
  }
  if (asked.length === 0) return read
  const unknown = asked.find((type) => !offered.includes(type))
  if (unknown !== undefined && !isLenient) throw badRequest(`The type ${unknown.slice(0, 60)} cannot be exported here`)
  const chosen = offered.filter((type) => asked.includes(type))
  if (chosen.length === 0) throw badRequest('_type names nothing that can be exported')
  return { ...read, types: { chosen, isAsked: true } }
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

const readInstant = (value: string): string => {
  const text = value.replaceAll(' ', '+')
  if (!instant.test(text) || Number.isNaN(Date.parse(text)))
    throw badRequest('_since must be an instant, such as 2026-11-18T08:30:00Z')
  return text
}

/** The status of an export, or its cancellation: `GET` and `DELETE` of the URL that was returned at its start. */
export const answerExportState = async (call: FhirCall, id: string) => {
  const { request, reply } = call
  if (request.method !== 'GET' && request.method !== 'DELETE')
    throw notOffered(`${request.method} of an export is not offered`, 'GET, DELETE')
  const job = await getExport(call, id)
  if (request.method === 'DELETE') {
    await removeExport(call, job)
    return reply.code(202).send()
  }
  if (job.state === 'DONE') return sendFiles(call, job)
  if (job.state === 'FAILED') throw new FhirFault(500, [issue('exception', job.message ?? 'The export has failed')])
  const part = job.total === null ? '' : ` (${job.done} of ${job.total} types)`
  return reply
    .code(202)
    .header('x-progress', `${job.message ?? 'Waiting'}${part}`.slice(0, 100))
    .header('retry-after', String(pauseSeconds))
    .send()
}

/** Only the client that started an export sees it, while it is kept. */
const getExport = async ({ actor, services }: FhirCall, id: string): Promise<JobRow> => {
  const job = await findJob(services.databases(systemScope), id)
  const isOld = job?.finished_at != null && Date.parse(job.finished_at) < Date.now() - keptSeconds * 1000
  if (!job || job.kind !== exportJob.kind || job.user_id !== actor.userId || job.state === 'CANCELLED' || isOld)
    throw unknownResource('This export is not known')
  return job
}

/** Stops it if it is running, and removes its files. */
const removeExport = async ({ services }: FhirCall, { id }: JobRow) => {
  const db = services.databases(systemScope)
  await db.transaction().execute(async (trx) => {
    if (!(await cancelJob(trx, id))) await trx.deleteFrom('job').where('id', '=', id).execute()
  })
  const made = await db
    .selectFrom('upload_slot')
    .select('object_key')
    .where('purpose', '=', exportPurpose)
    .where('object_key', 'like', `${exportPurpose}/${id}/%`)
    .execute()
  for (const { object_key } of made) await services.store.remove(object_key)
}

const sendFiles = async ({ reply, services }: FhirCall, { input, result }: JobRow) => {
  const { transactionTime, files } = result as unknown as ExportResult
  const output = await Promise.all(
    files.map(async ({ type, key, sha256, count }) => ({
      type,
      url: await services.store.downloadUrl(key, {
        sha256,
        fileName: `${type}.ndjson`,
        contentType: ndjson,
        expiresSeconds: addressSeconds,
      }),
      count,
    })),
  )
  return reply
    .header('expires', new Date(Date.now() + addressSeconds * 1000).toUTCString())
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        transactionTime,
        request: (input as unknown as ExportInput).request,
        requiresAccessToken: false,
        output,
        error: [],
      }),
    )
}
