import { csvLoadMessages } from '@lis/contract/csv-loads.ts'
import { messages } from '@lis/contract/messages.ts'
import type { Db } from '../../platform/db/db.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { announce } from '../../platform/domain-events.ts'
import { type EntryProblem, type ResultEntry, saveResults } from '../lab-tests/service.ts'
import { instantReader } from './cells.ts'
import { failed, type Loader, loaded, type RowOutcome, skipped } from './loader.ts'
import type { CsvRow, RowError } from './read-csv.ts'

interface Head {
  zone: string
  received_at: string | null
}

/** Test results, many rows in a few statements. The result engine checks each; one that exists, or existed, is skipped. */
export const resultLoader = (): Loader => {
  const instantOf = instantReader()
  return {
    rowsAtOnce: 2500,
    apply: async (call, rows) => {
      const outcomes: RowOutcome[] = []
      const entries: ResultEntry[] = []
      const heads = await headsOf(call.db, rows)
      const taken: CsvRow[] = []
      for (const row of rows) {
        const { entry, errors } = readRow(row, heads, instantOf)
        if (!entry) outcomes.push(failed(row.no, errors))
        else {
          entries.push(entry)
          taken.push(row)
        }
      }
      const { saved, problems } = await saveResults(call, entries, {
        isPartial: true,
        skipAlreadyStored: true,
        isListedTextOnly: true,
      })
      const requisitionIds = [...new Set(entries.map(({ requisitionId }) => requisitionId))]
      await announce(call, 'resultsChanged', { requisitionIds })
      const noOf = (index: number) => (taken[index] as CsvRow).no
      for (const { index, isUnchanged } of saved)
        outcomes.push(isUnchanged ? skipped(noOf(index)) : loaded(noOf(index)))
      for (const problem of problems) outcomes.push(failed(noOf(problem.index), [errorOf(problem)]))
      return outcomes.sort((one, other) => one.no - other.no)
    },
  }
}

const headsOf = async (db: Db, rows: readonly CsvRow[]): Promise<Map<number, Head>> => {
  const ids = [...new Set(rows.map(({ cells }) => Number(cells.reqId)).filter(Number.isSafeInteger))]
  const found = await db
    .selectFrom('requisition_list as l')
    .innerJoin('lab', 'lab.id', 'l.lab_id')
    .select(['l.requisition_id as id', 'lab.zone', 'l.received_at'])
    .where('l.requisition_id', '=', anyId(ids))
    .execute()
  return new Map(found.map((head) => [head.id, head]))
}

const readRow = (
  { cells, fault }: CsvRow,
  heads: ReadonlyMap<number, Head>,
  instantOf: ReturnType<typeof instantReader>,
): { entry?: ResultEntry; errors: RowError[] } => {
  if (fault) return { errors: [{ columnName: null, message: fault }] }
  const { reqId = '', testCode = '', result = '', processDate = '', isConfirmed = '', reagent = '' } = cells
  const errors: RowError[] = []
  const wrong = (columnName: string, message: string) => errors.push({ columnName, message })
  const head = heads.get(Number(reqId))
  if (reqId === '') wrong('reqId', messages.required('reqId'))
  else if (!head) wrong('reqId', `Requisition #${reqId} not found`)
  if (testCode === '') wrong('testCode', messages.required('testCode'))
  if (result === '') wrong('result', messages.required('result'))
  const instant = head && processDate ? instantOf(processDate, head.zone) : null
  if (processDate === '') wrong('processDate', messages.required('processDate'))
  else if (head) {
    if (instant === null) wrong('processDate', csvLoadMessages.timeFormat)
    else if (Date.parse(instant) > Date.now()) wrong('processDate', 'processDate is in the future')
    else if (
      head.received_at !== null &&
      Date.parse(instant) < Math.floor(Date.parse(head.received_at) / 60_000) * 60_000
    )
      wrong('processDate', 'processDate is before the specimen was received')
  }
  if (!['', '0', '1'].includes(isConfirmed)) wrong('isConfirmed', messages.invalid('isConfirmed'))
  if (reagent.length > 50) wrong('reagent', messages.tooLong('reagent', 50))
  if (errors.length > 0 || instant === null) return { errors }
  return {
    errors,
    entry: {
      requisitionId: Number(reqId),
      testCode,
      result,
      processDate: instant,
      isConfirmed: isConfirmed === '1',
      ...(reagent && { reagent }),
    },
  }
}

/** A problem with the test itself is reported at its column, every other at the result's. */
const errorOf = ({ kind, message, reqTestId }: EntryProblem): RowError => ({
  columnName: reqTestId === 0 ? 'testCode' : kind === 'doubtful' ? 'isConfirmed' : 'result',
  message,
})
