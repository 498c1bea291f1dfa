import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { requireRequester } from '../../platform/auth/requester.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { forbidden } from '../../platform/errors.ts'
import { defineJob, type JobContext } from '../../platform/jobs/definition.ts'
import type { Services } from '../../platform/services.ts'
import { registerTemporaryObject } from '../../platform/storage/slots.ts'
import { type FhirType, readRows, selectKeysAfter, subjectsOf } from './definition.ts'
import type { Reader } from './reader.ts'
import { mayDo } from './scopes.ts'
import { instantParam } from './search-values.ts'
import { findType } from './types.ts'
import { makeResource } from './versions.ts'

/** How long the files of an export can be fetched. */
export const keptSeconds = 24 * 60 * 60
export const exportPurpose = 'fhir-export'
export const ndjson = 'application/fhir+ndjson'

export interface ExportInput {
  apiClientId: number
  sessionId: string
  /** The whole address of the request, and that of the service. */
  request: string
  base: string
  types: string[]
  /** Only what was changed after this instant. */
  since: string | null
}

interface ExportFile {
  type: string
  key: string
  sha256: string
  count: number
}

export interface ExportResult {
  transactionTime: string
  files: ExportFile[]
}

const rowsAtOnce = 500

/** Writes one file per type of resource, in the scope that the client has when it runs. */
export const exportJob = defineJob<ExportInput>({
  kind: 'fhir.export',
  maxSeconds: 4 * 60 * 60,
  run: async (context, input): Promise<ExportResult> => {
    const { services } = context
    const reader = await openReader(context, input)
    const transactionTime = await readFinishedUntil(services)
    const files: ExportFile[] = []
    const keys: string[] = []
    try {
      for (const [done, type] of input.types.entries()) {
        const definition = findType(type)
        if (!definition || !mayExport(reader, type)) throw forbidden(`The client may no longer read ${type}`)
        const key = `${exportPurpose}/${context.id}/${context.attempt}-${type}.ndjson`
        await registerFile(services, input, key)
        keys.push(key)
        let count = 0
        const onRows = async (rows: number) => {
          count += rows
          await context.progress(done, input.types.length, `${type}: ${count} resources`)
        }
        const pages = Readable.from(readPages(context, definition, reader, input.since, onRows))
        const { sha256 } = await services.store.put(key, pages, ndjson)
        if (count > 0) files.push({ type, key, sha256, count })
      }
      await context.progress(input.types.length, input.types.length)
      return { transactionTime, files }
    } catch (error) {
      for (const key of keys) await services.store.remove(key)
      throw error
    }
  },
})

/** Registered before it is written, so that a leftover file is removed. */
const registerFile = ({ databases }: Services, { sessionId }: ExportInput, key: string) =>
  databases(systemScope)
    .transaction()
    .execute((trx) => registerTemporaryObject(trx, { key, sessionId, purpose: exportPurpose, seconds: keptSeconds }))

export const mayExport = ({ actor }: Pick<Reader, 'actor'>, type: string) =>
  mayDo(actor, type, 'r') && mayDo(actor, type, 's')

/** The client as it is now: a revoked or expired one gets nothing. */
const openReader = async ({ services, userId }: JobContext, input: ExportInput): Promise<Reader> => {
  const requester = await requireRequester(services, userId, 'profile.own')
  const client = await services
    .databases(systemScope)
    .selectFrom('api_client')
    .select(['id', 'scopes'])
    .where('id', '=', input.apiClientId)
    .where('revoked_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)]))
    .executeTakeFirst()
  if (!client) throw forbidden('The client has been revoked or has expired')
  const actor = { ...requester, sessionId: input.sessionId, apiClient: client }
  return { db: services.fileDatabases(actor.scope), actor, base: input.base }
}

/**
 * The instant up to which every change is in the export: the start of the oldest open transaction. A client that asks again for
 * what was changed since misses nothing.
 */
const readFinishedUntil = async ({ databases }: Services): Promise<string> => {
  const { rows } = await sql<{ at: string }>`select oldest_write_at() as at`.execute(databases(systemScope))
  return (rows[0] as { at: string }).at
}

/** The resources as lines, a page of rows at a time. */
async function* readPages(
  { id, services }: JobContext,
  definition: FhirType,
  reader: Reader,
  since: string | null,
  onRows: (count: number) => Promise<void>,
): AsyncGenerator<string> {
  const isChanged =
    since === null
      ? []
      : [instantParam(definition.lastUpdated).condition({ values: [`gt${since}`], modifier: null }, reader)]
  const where = [...definition.where(reader), ...isChanged]
  for (let after: number | null = null; ; ) {
    const keys: number[] = await selectKeysAfter(definition, reader, { where, after, limit: rowsAtOnce })
    const rows = await readRows(definition, reader, keys)
    const subjects = subjectsOf(definition, rows)
    if ([...subjects.patientIds, ...subjects.reqIds].length > 0)
      services.accessLog.record(
        { actor: reader.actor, requestId: id, method: 'JOB', route: 'fhir/R4/$export' },
        subjects,
      )
    await onRows(rows.length)
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(makeResource(definition, row, reader))}\n`).join('')
    if (keys.length < rowsAtOnce) return
    after = keys.at(-1) ?? null
  }
}
