import { z } from 'zod'
import { download, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'

/** One label per field: messages, table headers and forms read it. */
export const csvLoadLabels = {
  id: 'Upload ID',
  loadDate: 'Upload Date',
  loadFileTypeCode: 'File Type',
  loadType: 'Load Type',
  totalCount: 'Total Rows Uploaded',
  counts: 'Success/Failed Rows',
  loadByName: 'Uploaded By',
  errorId: 'ID',
  loadErrorDesc: 'Error',
} as const

export const loadTypes = {
  REQUISITION: 'Requisitions',
  RESULT: 'Test results',
  CLIENT: 'Clients',
  PHYSICIAN: 'Physicians',
  QC: 'Quality control',
} as const
export type LoadType = keyof typeof loadTypes

/** The column added to the error file; ignored when that file is loaded again. */
export const loadErrorColumn = 'loadError'

export const csvLoadMessages = {
  started: 'File is being processed',
  checking: 'File is being checked',
  waiting: 'Waiting for other files to be processed first',
  /** At the end of a load. */
  ended: ({ success, total, errors, skipped }: { success: number; total: number; errors: number; skipped: number }) =>
    `${success} of ${total} rows loaded, ${errors} failed${skipped > 0 ? `, ${skipped} loaded before` : ''}`,
  empty: 'The file is empty',
  noRows: 'The file has no rows',
  unknownColumn: 'Unknown column',
  duplicateColumn: 'The column appears twice',
  columnMissing: 'The column is missing',
  noErrors: 'No row of this file has failed',
  cellCount: (cells: number, columns: number) => `The row has ${cells} cells, the header has ${columns}`,
  dateFormat: 'Invalid date: write MM/DD/YYYY or YYYY-MM-DD',
  timeFormat: 'Invalid date and time: write MM/DD/YYYY HH:mm (or hh:mm AM) or YYYY-MM-DD HH:mm',
  quoteOpen: 'A quotation mark is not closed',
} as const

/** What is said of a file of another kind. */
export const otherFileAdvice = {
  excel: 'This is an Excel file; save it as CSV',
  spreadsheet: 'This is a spreadsheet; save it as CSV',
  zip: 'This is a ZIP file; unpack it and choose the CSV file in it',
  pdf: 'This is a PDF; a CSV file is needed',
  image: 'This is an image; a CSV file is needed',
} as const

const otherEndings: Readonly<Record<keyof typeof otherFileAdvice, RegExp>> = {
  excel: /\.xl(s|sx|sm|sb)$/i,
  spreadsheet: /\.(ods|numbers)$/i,
  zip: /\.zip$/i,
  pdf: /\.pdf$/i,
  image: /\.(png|jpe?g|tiff?|gif|bmp|webp|heic)$/i,
}

/** What is said of a file whose name has the ending of another kind. */
export const adviceByName = (fileName: string): string | undefined => {
  const kinds = Object.keys(otherFileAdvice) as (keyof typeof otherFileAdvice)[]
  const kind = kinds.find((one) => otherEndings[one].test(fileName))
  return kind && otherFileAdvice[kind]
}

/** 'Row 7, patientDob: Invalid date' (BATCH-G7). */
export const describeLoadError = (rowNo: number, columnName: string | null, message: string) =>
  `Row ${rowNo}${columnName ? `, ${columnName}` : ''}: ${message}`

const id = z.number().int()
const loadType = z.enum(Object.keys(loadTypes) as [LoadType, ...LoadType[]], {
  error: messages.required(csvLoadLabels.loadType),
})

const csvLoad = z.object({
  id,
  loadDate: z.string(),
  loadFileTypeCode: loadType,
  loadFileTypeDesc: z.string(),
  totalCount: id,
  successCount: id,
  errorCount: id,
  /** Rows that were loaded before: unchanged, not an error. */
  skippedCount: id,
  loadByName: z.string().nullable(),
  originalFileName: z.string(),
  /** FAILED: the whole file was refused. STOPPED: cancelled or given up before the end of the file. */
  state: z.enum(['INIT', 'RUNNING', 'DONE', 'FAILED', 'STOPPED']),
  /** Why the whole file was refused, or how the load ended. */
  message: z.string().nullable(),
  jobId: z.string().nullable(),
})
export type CsvLoad = z.infer<typeof csvLoad>

const csvLoadError = z.object({ id, loadErrorDesc: z.string(), rowNo: id, columnName: z.string().nullable() })
export type CsvLoadError = z.infer<typeof csvLoadError>

/** The result of the preview job. */
const csvPreview = z.object({
  totalCount: id,
  goodCount: id,
  skippedCount: id,
  errorCount: id,
  /** At most `maxPreviewErrors`; `errorTotal` counts all. */
  errors: z.array(z.object({ rowNo: id, columnName: z.string().nullable(), message: z.string() })),
  errorTotal: id,
})
export type CsvPreview = z.infer<typeof csvPreview>
export const maxPreviewErrors = 1000

const fileName = z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255)
const processInput = z.object({ loadFileTypeCode: loadType, fileName, originalFileName: fileName })
export type ProcessInput = z.infer<typeof processInput>

const listed = listQuery({
  sort: ['id', 'loadDate', 'loadFileTypeDesc', 'totalCount', 'loadByName'],
  filter: ['id', 'loadFileTypeCode', 'loadDate'],
  defaultPerPage: 10,
})
const errorsListed = listQuery({ sort: ['id'], filter: ['columnName'], defaultPerPage: 100 })
const uploadParams = z.object({ uploadId: idParam })

export const csvLoadRoutes = {
  list: get('bulk_csv_uploader', { access: 'batchCsv.open', query: listed, reply: page(csvLoad) }),
  errors: get('bulk_csv_uploader/:uploadId/files', {
    access: 'batchCsv.open',
    params: uploadParams,
    query: errorsListed,
    reply: page(csvLoadError),
  }),
  errorFile: get('bulk_csv_uploader/:uploadId/error_file', {
    access: 'batchCsv.open',
    patientData: true,
    summary: 'The failed rows as sent, with the reasons in an additional column',
    params: uploadParams,
    reply: download,
  }),
  template: get('bulk_csv_uploader/templates/:loadFileTypeCode', {
    access: 'batchCsv.open',
    params: z.object({ loadFileTypeCode: loadType }),
    reply: download,
  }),
  init: post('bulk_csv_uploader/init', {
    access: 'batchCsv.open',
    body: z.object({ fileName }),
    reply: one(z.object({ url: z.string(), fields: z.record(z.string(), z.string()), newFileName: z.string() })),
  }),
  preview: post('bulk_csv_uploader/preview', {
    access: 'batchCsv.open',
    summary: 'Checks the file in a job without saving anything; the result of the job lists all errors',
    body: processInput,
    reply: one(z.object({ jobId: z.string() })),
  }),
  process: post('bulk_csv_uploader/process', {
    access: 'batchCsv.open',
    body: processInput,
    reply: one(z.object({ id, jobId: z.string() })),
  }),
}
