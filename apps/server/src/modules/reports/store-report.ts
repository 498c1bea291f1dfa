import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { fileNameOf } from '../../platform/storage/object-store.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import { findReportLogo } from '../collaborators/report-logos.ts'
import type { ReportContent } from './content.ts'
import { printedTexts } from './content-text.ts'
import type { VersionInfo } from './report-pdf.ts'

export type Tools = Pick<Services, 'store' | 'config' | 'reportSeal'>

/** A file in `stored_file`, as `registerFile` and `storeFile` give it. */
export interface StoredReport {
  id: number
  originalName: string
  sha256: Buffer
}

/** Draws a report. A text that cannot be printed refuses it. */
export const drawReport = async (
  db: Db,
  { config }: Tools,
  content: ReportContent,
  info: VersionInfo,
): Promise<Buffer> => {
  // Imported on first use: the PDF library takes 40 MB of memory.
  const { renderReport } = await import('./report-pdf.ts')
  await requirePrintable([...printedTexts(content), ['the reason', info.correction?.reason ?? '']])
  const logo = await findReportLogo(db, content.collaborator.logoId ?? null)
  return renderReport(content, { ...info, ...(logo && { logo }), isDemo: config.demo })
}

export const storeReport = async (
  write: WriteCall,
  tools: Tools,
  content: ReportContent,
  info: VersionInfo,
): Promise<StoredReport> =>
  storeDrawn(write, tools, content, info.versionNo, await drawReport(write.db, tools, content, info))

export const storeDrawn = async (
  { db, actor }: WriteCall,
  { store }: Tools,
  content: ReportContent,
  versionNo: number,
  body: Buffer,
): Promise<StoredReport> => {
  const originalName = reportFileName(content, versionNo)
  const key = `requisitions/${content.requisitionId}/report/${randomUUID()}.pdf`
  const file = { key, body, originalName, contentType: 'application/pdf', createdBy: actor.userId || null }
  return { ...(await storeFile(db, store, file)), originalName }
}

export const reasonNotPrintable = async ([what, text]: readonly [what: string, text: string]): Promise<
  string | null
> => {
  const { findUnprintable } = await import('../../platform/pdf/fonts.ts')
  const letters = findUnprintable(text)
  if (letters.length === 0) return null
  return `A report made here cannot print ${letters.join(' ')} in ${what}. Upload a report that was made elsewhere.`
}

/** A name must never be printed wrongly: a text with an unprintable character refuses the report. */
export const requirePrintable = async (texts: readonly (readonly [what: string, text: string])[]) => {
  for (const text of texts) {
    const reason = await reasonNotPrintable(text)
    if (reason) throw conflict(reason)
  }
}

/** In the collaborator's format. */
const reportFileName = ({ requisitionId, patient, collaborator }: ReportContent, versionNo: number) => {
  const [last = '', first = ''] = patient.name.split(', ')
  const end = versionNo > 1 ? '_corrected.pdf' : '.pdf'
  if (collaborator.nameFormat === 'REQIDLAST') return fileNameOf(requisitionId, last) + end
  if (collaborator.nameFormat === 'LASTFIRSTDOB') return fileNameOf(last, first, patient.dob) + end
  return `${requisitionId}${end}`
}
