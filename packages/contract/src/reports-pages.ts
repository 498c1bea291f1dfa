import { z } from 'zod'
import { jobParams } from './jobs.ts'
import { isIsoDate } from './kit/date-range.ts'
import { list, one } from './kit/envelope.ts'
import { get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { requiredCode, requiredId } from './validation.ts'

export const reportPageLabels = {
  fromDate: 'Date From',
  toDate: 'Date To',
  labId: 'Laboratory',
  colaId: 'For Lab/Collaborator',
  reqIds: 'Requisition(s)',
  clientId: 'Client',
  eventId: 'Client Event',
} as const
const labels = reportPageLabels

/** The tabs of the page, the default one first (REP-08). */
export const reportTabs = {
  qaReports: 'QA Reports',
  adHocReports: 'Misc Reports',
  summaryReports: 'Summary Reports',
} as const
export type ReportTab = keyof typeof reportTabs
/** REP-G4: an unknown slug opens the default tab. */
export const reportTabOf = (slug: string | undefined): ReportTab =>
  slug !== undefined && Object.hasOwn(reportTabs, slug) ? (slug as ReportTab) : 'qaReports'

const dateOrderMessage = `${labels.fromDate} cannot be after ${labels.toDate}`
const reqIdsMessage = `${labels.reqIds} must be numbers separated by commas`
const maxPeriodYears = 10
const periodTooLongMessage = `The period can be at most ${maxPeriodYears} years`

const usDate = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/
/** M/DD/YYYY in, YYYY-MM-DD out (REP-37). */
const reportDay = (label: string) =>
  z
    .string({ error: messages.required(label) })
    .trim()
    .min(1, messages.required(label))
    .transform((text, context) => {
      const [, month = '', day = '', year = ''] = usDate.exec(text) ?? []
      const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
      if (isIsoDate(iso)) return iso
      context.addIssue({ code: 'custom', message: messages.invalidDate })
      return z.NEVER
    })

/** The error of a period of two ISO dates, or null. */
export const periodError = (from: string, to: string): string | null => {
  if (from > to) return dateOrderMessage
  const limit = `${Number(from.slice(0, 4)) + maxPeriodYears}${from.slice(4)}`
  return to > limit ? periodTooLongMessage : null
}

const period = z.object({ fromDate: reportDay(labels.fromDate), toDate: reportDay(labels.toDate) })
/** Only requisitions of these; the user report takes no notice of them. */
const reportFilters = {
  labId: idParam.optional(),
  clientId: idParam.optional(),
  colaId: idParam.optional(),
}
const checkPeriod = ({ fromDate, toDate }: z.output<typeof period>, context: z.RefinementCtx) => {
  // An invalid date is reported above and not compared.
  const message = isIsoDate(fromDate) && isIsoDate(toDate) ? periodError(fromDate, toDate) : null
  if (message) context.addIssue({ code: 'custom', path: ['fromDate'], message })
}
const reportInput = period
  .extend({
    reportCode: requiredCode('Report'),
    ...reportFilters,
    /** Of the file; XLSX by default. */
    format: z.enum(['XLSX', 'CSV'], { error: messages.invalid('format') }).optional(),
  })
  .superRefine(checkPeriod)
const insightsInput = period
  .extend({
    tab: z.enum(['qaReports', 'summaryReports'], { error: messages.invalid('tab') }),
    /** One report alone. */
    reportCode: z.string().max(64).optional(),
    ...reportFilters,
  })
  .superRefine(checkPeriod)
export type InsightsInput = z.output<typeof insightsInput>
export type ReportInput = z.output<typeof reportInput>

/** What an inspector of a laboratory asks for; the dates as in the reports. */
const inspectionPackInput = period.extend({ labId: requiredId(labels.labId) }).superRefine(checkPeriod)
export type InspectionPackInput = z.output<typeof inspectionPackInput>

/** The list as typed: blanks, empty items and duplicates are dropped (REP-G9). */
const reqIdsText = z
  .string({ error: messages.required(labels.reqIds) })
  .trim()
  .transform((text, context) => {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (parts.length === 0) return refuse(messages.required(labels.reqIds))
    if (parts.some((part) => !/^[0-9]{1,15}$/.test(part))) return refuse(reqIdsMessage)
    return [...new Set(parts.map(Number))]
  })

const maxReqIds = 5000
const reqIdList = z
  .array(
    z
      .number({ error: reqIdsMessage })
      .int(reqIdsMessage)
      .positive(reqIdsMessage)
      .max(Number.MAX_SAFE_INTEGER, reqIdsMessage),
    {
      error: messages.required(labels.reqIds),
    },
  )
  .min(1, messages.required(labels.reqIds))
  .max(maxReqIds, `At most ${maxReqIds} requisitions fit one report`)
  .transform((ids) => [...new Set(ids)])

export const adHocForm = z.object({ colaId: requiredId(labels.colaId), reqIds: reqIdsText })
export const eventForm = z.object({ clientId: requiredId(labels.clientId), eventId: requiredId(labels.eventId) })

// ── replies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const reportItem = z.object({
  id: z.number().int(),
  reportCode: z.string(),
  reportDesc: z.string(),
  purpose: z.string(),
})
export type ReportItem = z.infer<typeof reportItem>

/**
 * How a value is shown and stored in a file. A datetime is a local time with its zone, '2026-11-04T12:30:00 EST': that of the laboratory,
 * or of the place where a specimen was collected.
 */
const columnTypes = ['text', 'integer', 'decimal1', 'decimal2', 'decimal', 'money', 'datetime', 'date'] as const
const column = z.object({ name: z.string(), header: z.string(), type: z.enum(columnTypes) })
export type ReportColumn = z.infer<typeof column>

/** A bar chart: one group of bars per point, one bar (or segment) per series. */
const chart = z.object({
  series: z.array(z.string()),
  points: z.array(z.object({ label: z.string(), values: z.array(z.number()) })),
  isStacked: z.boolean(),
  /** What the axis counts. */
  unit: z.string(),
})
export type ReportChart = z.infer<typeof chart>

const insight = z.object({
  reportCode: z.string(),
  reportDesc: z.string(),
  /** The one number of the report; null where it is too long for a preview, or could not be read. */
  headline: z.object({ value: z.number().nullable(), unit: z.string(), text: z.string() }).nullable(),
  /** Of the number against the period before, in percent; null where there is nothing to compare. */
  change: z.number().nullable(),
  /** That of the preview. */
  chart,
  isLong: z.boolean(),
  failed: z.string().nullable(),
})
export type Insight = z.infer<typeof insight>

/** A row by column name. `rowKind` distinguishes totals and notes from data. */
const row = z
  .object({ rowKind: z.enum(['row', 'subtotal', 'total', 'note']) })
  .catchall(z.union([z.string(), z.number(), z.null()]))
export type ReportRow = z.infer<typeof row>

const preview = z.object({
  columns: z.array(column),
  chart,
  /** The first rows; the file has all. */
  rows: z.array(row),
  rowCount: z.number().int(),
  /** Too large for a preview; the download runs in the background. */
  isLong: z.boolean(),
})
export type ReportPreview = z.infer<typeof preview>

/** `url` at once, or the job that creates the file: `made` returns it when the job is done. */
const downloaded = one(z.object({ url: z.string().nullable(), jobId: z.string().nullable() }))

const access = 'reportsPages.open'
const patientData = true
const reportsAt = <Path extends string>(path: Path) => ({
  list: get(path, { isReportApi: true, access, reply: list(reportItem) }),
  download: post(`${path}/download`, {
    isReportApi: true,
    access,
    patientData,
    body: reportInput,
    reply: downloaded,
    makesFile: true,
  }),
  preview: get(`${path}/preview`, { isReportApi: true, access, patientData, query: reportInput, reply: one(preview) }),
})

export const qaReportRoutes = reportsAt('qa_reports')
export const summaryReportRoutes = reportsAt('summary_reports')
export const miscReportRoutes = {
  adHoc: post('adhoc_reqs/download', {
    isReportApi: true,
    access,
    patientData,
    summary: 'The resulted tests of these requisitions; also needs requisitionTabs.tests and tests.seeResults',
    body: z.object({ colaId: requiredId(labels.colaId), reqIds: reqIdList }),
    reply: downloaded,
    makesFile: true,
  }),
  events: post('event_reqs/download', {
    isReportApi: true,
    access,
    patientData,
    body: eventForm,
    reply: downloaded,
    makesFile: true,
  }),
  made: get('report_files/:id', {
    isReportApi: true,
    access,
    patientData,
    summary: 'The file created by a job; available for one hour to the session that requested it',
    params: jobParams,
    reply: one(z.object({ url: z.string() })),
  }),
}

export const inspectionPackRoutes = {
  make: post('inspection_packs', {
    access: 'inspectionPacks.make',
    summary:
      'Starts the job that puts everything for an inspector into one ZIP; GET report_files/{jobId} then gives it',
    body: inspectionPackInput,
    reply: one(z.object({ jobId: z.string() })),
  }),
}

export const insightRoutes = {
  list: get('insights', {
    access,
    summary: 'The reports of a tab with their numbers and charts, for one period',
    query: insightsInput,
    reply: list(insight),
  }),
}
