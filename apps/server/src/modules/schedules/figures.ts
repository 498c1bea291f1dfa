import type { ReportColumn, ReportRow } from '@lis/contract/reports-pages.ts'
import type { Schedule } from '@lis/contract/schedules.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { cellText, type ExportColumn } from '../../platform/exports.ts'
import { listChunks } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import { countSavedView, findViewList } from '../home/pinned-views.ts'
import { reportCallOf } from '../report-pages/definition.ts'
import { headlines } from '../report-pages/headlines.ts'
import { readReport } from '../report-pages/run.ts'
import { exportColumns, exportFields } from '../requisition-list/export-columns.ts'
import { listForExport } from '../requisition-list/list.ts'
import { findView, type Subject } from './subject.ts'

/** The content sent to one receiver. */
export interface Figures {
  isEmpty: boolean
  /** As text, without a patient. */
  summary: string
  columns: readonly ReportColumn[]
  rows: ReportRow[]
  reqIds: number[]
}

interface Asked {
  subject: Subject
  period: { from: string; to: string }
  sendAs: Schedule['sendAs']
}

/** A larger mail would be rejected. */
const mostRows = 20_000

/** The figures that this person may see. */
export const readFigures = (services: Services, actor: Actor, asked: Asked): Promise<Figures> =>
  'viewId' in asked.subject
    ? viewFigures(services, actor, asked.subject.viewId, asked.sendAs)
    : reportFigures(services, actor, asked)

const reportFigures = async (
  services: Services,
  actor: Actor,
  { subject, period, sendAs }: Asked,
): Promise<Figures> => {
  if ('viewId' in subject) throw new Error('not a report')
  const { definition } = subject
  const call = reportCallOf(actor, { fromDate: period.from, toDate: period.to })
  const rows = await readReport(services, definition, call)
  const plain = rows.filter(({ rowKind }) => rowKind === 'row')
  const headline = headlines[definition.code]?.(rows)
  const number =
    headline && headline.value !== null
      ? `${headline.value.toLocaleString('en-US')} ${headline.unit}`
      : 'None in this period'
  if (sendAs !== 'LINK') requireSize(rows.length)
  return {
    isEmpty: plain.length === 0,
    summary: plain.length === 0 ? 'None in this period' : number,
    columns: definition.columns,
    rows: sendAs === 'LINK' ? [] : rows,
    reqIds: rows.flatMap(({ reqId }) => (typeof reqId === 'number' ? [reqId] : [])),
  }
}

const viewFigures = async (
  services: Services,
  actor: Actor,
  viewId: number,
  sendAs: Schedule['sendAs'],
): Promise<Figures> => {
  const db = services.databases(actor.scope)
  const view = await findView(db, actor, viewId)
  if (!view) throw new AppError('forbidden', 'The view is no longer there')
  const { count } = await countSavedView(db, actor, view, false)
  const summary = `${count.toLocaleString('en-US')} ${count === 1 ? 'requisition' : 'requisitions'}`
  const none = { isEmpty: count === 0, summary, columns: [], rows: [], reqIds: [] }
  if (sendAs === 'LINK' || count === 0) return none
  requireSize(count)
  const { api, list, filters } = findViewList(actor, view)
  const columns = exportColumns(api)
  const found: Record<string, unknown>[] = []
  await services.largeReads.run(actor.scope, async (reading) => {
    const query = { page: 1, perPage: 1, sort: null, filters }
    for await (const rows of listChunks(reading, listForExport(list, exportFields(api)), query)) found.push(...rows)
  })
  return {
    ...none,
    columns: columns.map(({ header }, index) => ({ name: `c${index}`, header, type: 'text' as const })),
    rows: found.map((row) => rowOf(columns, row)),
    reqIds: found.flatMap(({ reqId }) => (typeof reqId === 'number' ? [reqId] : [])),
  }
}

const rowOf = (columns: readonly ExportColumn[], row: Record<string, unknown>): ReportRow => ({
  rowKind: 'row',
  ...Object.fromEntries(columns.map((column, index) => [`c${index}`, cellText(column, row)])),
})

const requireSize = (rows: number) => {
  if (rows > mostRows)
    throw new AppError(
      'invalid',
      `More than ${mostRows.toLocaleString('en-US')} rows are not sent as a file. Send a link instead.`,
    )
}
