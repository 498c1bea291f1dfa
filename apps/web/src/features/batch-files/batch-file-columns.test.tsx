import type { ReportUpload, UploadedFile } from '@lis/contract/batch-files.ts'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { fileColumns, uploadColumns } from './batch-file-columns.tsx'

const rateOf = (totalFilesCompleted: number, totalFiles: number) =>
  renderToStaticMarkup(
    uploadColumns.find(({ key }) => key === 'rate')?.cell({ totalFilesCompleted, totalFiles } as ReportUpload),
  )
const stateOf = (reportLoadStatusCode: string, reportLoadStatusDesc: string) =>
  renderToStaticMarkup(
    fileColumns
      .find(({ key }) => key === 'status')
      ?.cell({ reportLoadStatusCode, reportLoadStatusDesc, note: null } as UploadedFile),
  )

describe('the table of uploads', () => {
  it('BATCH-09 BATCH-10 shows completed of total, marked as an error while some are missing', () => {
    expect(rateOf(1, 2)).toContain('1/2')
    expect(rateOf(1, 2)).toContain('aria-label="Not complete"')
    expect(rateOf(2, 2)).toContain('2/2')
    expect(rateOf(2, 2)).not.toContain('Not complete')
  })
})

describe('the files of an upload', () => {
  it.each([
    ['BATCH-32', 'COMPLETE', 'Complete', 'ok'],
    ['BATCH-33', 'NOREQ', 'Requisition not found', 'error'],
  ])('%s show %s as %s in the tone %s', (_, code, text, tone) => {
    expect(stateOf(code, text)).toContain(`data-tone="${tone}"`)
    expect(stateOf(code, text)).toContain(text)
  })

  it('BATCH-34 say where the file never came that it is to be sent again', () => {
    expect(stateOf('FILENOTFOUND', 'File not found')).toContain('Please upload the file again.')
    expect(stateOf('COMPLETE', 'Complete')).not.toContain('Please upload')
  })
})
