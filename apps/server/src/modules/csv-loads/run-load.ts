import type { Readable } from 'node:stream'
import { loadColumns } from '@lis/contract/csv-load-columns.ts'
import { csvLoadMessages, type LoadType } from '@lis/contract/csv-loads.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import type { Services } from '../../platform/services.ts'
import { clientLoader } from './load-clients.ts'
import { physicianLoader } from './load-physicians.ts'
import { qcLoader } from './load-qc.ts'
import { requisitionLoader } from './load-requisitions.ts'
import { resultLoader } from './load-results.ts'
import type { LoadCall, Loader, RowOutcome } from './loader.ts'
import { type CsvRow, detectFormat, openCsv, RefusedFileError, type RowError } from './read-csv.ts'

/** A new loader for each run, because it remembers the keys of its file. */
const loaders: Record<LoadType, (isDry: boolean) => Loader> = {
  REQUISITION: requisitionLoader,
  RESULT: resultLoader,
  CLIENT: clientLoader,
  PHYSICIAN: physicianLoader,
  QC: qcLoader,
}

export interface LoadRun {
  services: Services
  actor: Actor
  type: LoadType
  /** Opens the file; it is read more than once. */
  open: () => Promise<Readable>
  /** The job's id, recorded in the audit as the request. */
  requestId: string
  /** Rows that an earlier run has committed. */
  skipRows?: number
  /** Every chunk is written and then rolled back. */
  isDry: boolean
  /** Receives the outcomes of a chunk; unless the run is dry, in its transaction, so rows and counts are committed together. */
  onChunk: (outcomes: readonly RowOutcome[], trx: Trx | null) => Promise<void>
  progress: (done: number) => Promise<void>
}

/** Reads the file and applies it chunk by chunk. A refused file throws `RefusedFileError`. */
export const runLoad = async (run: LoadRun): Promise<void> => {
  const { type, open, skipRows = 0 } = run
  const format = await detectFormat(await open())
  const file = await openCsv(await open(), format, type)
  const loader = loaders[type](run.isDry)
  const pieces = chunksOf(file.rows, { skipRows, rowsAtOnce: loader.rowsAtOnce })
  let done = skipRows
  // The next chunk is read while the database is busy with this one.
  let next = readAhead(pieces)
  try {
    for (let piece = (await next).value; piece; piece = (await next).value) {
      next = readAhead(pieces)
      const rows = piece
      await retryOnConflict(() => inOneTransaction(run, loader, rows))
      done += piece.length
      await run.progress(done)
    }
  } finally {
    await pieces.return(undefined)
  }
  if (done === 0) throw new RefusedFileError([{ columnName: null, message: csvLoadMessages.noRows }])
}

/** A read-ahead error is thrown when the chunk is awaited; until then it must not count as unhandled. */
const readAhead = (pieces: AsyncGenerator<CsvRow[], undefined>) => {
  const piece = pieces.next()
  piece.catch(() => undefined)
  return piece
}

async function* chunksOf(
  rows: AsyncIterable<CsvRow>,
  { skipRows, rowsAtOnce }: { skipRows: number; rowsAtOnce: number },
) {
  let toSkip = skipRows
  let piece: CsvRow[] = []
  for await (const row of rows) {
    if (toSkip-- > 0) continue
    piece.push(row)
    if (piece.length < rowsAtOnce) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
  return undefined
}

/** Sorts the errors by the columns of the template. */
const inColumnOrder = (outcome: RowOutcome, type: LoadType): RowOutcome => {
  const placeOf = ({ columnName }: RowError) => loadColumns[type].findIndex(({ name }) => name === columnName)
  return outcome.errors.length < 2
    ? outcome
    : { ...outcome, errors: outcome.errors.toSorted((one, other) => placeOf(one) - placeOf(other)) }
}

class Undo extends Error {}

const inOneTransaction = async (run: LoadRun, loader: Loader, rows: readonly CsvRow[]) => {
  const { services, actor, isDry, onChunk, requestId } = run
  let outcomes: RowOutcome[] = []
  try {
    await services
      .databases(actor.scope)
      .transaction()
      .execute(async (trx) => {
        const call: LoadCall = { db: trx, actor, requestId, services }
        outcomes = (await loader.apply(call, rows)).map((outcome) => inColumnOrder(outcome, run.type))
        if (isDry) throw new Undo()
        await onChunk(outcomes, trx)
      })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
    await onChunk(outcomes, null)
  }
}
