import { can } from '@lis/contract/access/permissions.ts'
import { batchFileRoutes, isRetryable, type ReportUpload, type UploadedFile } from '@lis/contract/batch-files.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { useMemo, useState } from 'react'
import { call } from '../../lib/api.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DownloadIcon, RetryIcon } from '../../ui/icons.tsx'
import { exportFailure, exportOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { Column } from '../../ui/table/column.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { fileColumns } from './batch-file-columns.tsx'

const perPage = 100
const pollMs = 1000
const idOf = ({ id }: UploadedFile) => String(id)

/** The files of one upload: their states, a retry button, and a download of the failed ones. */
export const UploadFiles = ({ upload }: { upload: ReportUpload }) => {
  const [page, setPage] = useState(1)
  const columns = useFileColumns(upload)
  const refreshMs = (rows: readonly UploadedFile[]) => {
    if (rows.some(({ reportLoadStatusCode }) => reportLoadStatusCode === 'INIT')) return pollMs
    return false
  }
  const query = useMemo(() => ({ page, perPage, filters: {}, sort: null }), [page])
  return (
    <SubTable
      title={`Files of upload ${upload.id}`}
      note={(rows) =>
        `${rows.filter(({ reportLoadStatusCode }) => reportLoadStatusCode === 'COMPLETE').length} complete`
      }
      level={2}
      columns={columns}
      route={batchFileRoutes.files}
      params={{ id: upload.id }}
      query={query}
      refreshMs={refreshMs}
      rowId={idOf}
      actions={<FailedDownload uploadId={upload.id} />}
      footer={(total) => total > perPage && <Pages page={page} total={total} onPage={setPage} />}
    />
  )
}

const Pages = ({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) => {
  const last = Math.ceil(total / perPage)
  return (
    <div className="line">
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      {(page - 1) * perPage + 1}–{Math.min(page * perPage, total)} of {total}
      <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </div>
  )
}

const useFileColumns = ({ id: uploadId, batchTypeCode }: ReportUpload): readonly Column<UploadedFile>[] => {
  const role = useRole()
  const mayRetry = can(role, 'batchFiles.upload') || (can(role, 'documents.upload') && batchTypeCode === 'SCANREQ')
  return useMemo(
    () =>
      mayRetry
        ? [
            ...fileColumns,
            {
              key: 'retry',
              header: 'Retry',
              align: 'right',
              cell: (file) => <Retry uploadId={uploadId} file={file} />,
            },
          ]
        : fileColumns,
    [mayRetry, uploadId],
  )
}

const invalidates = [batchFileRoutes.files.path, batchFileRoutes.list.path, batchFileRoutes.held.path]

const Retry = ({ uploadId, file }: { uploadId: number; file: UploadedFile }) => {
  const finish = useSave(batchFileRoutes.finish, { invalidates, failure: 'error', isSilent: true })
  const [isBusy, whileBusy] = useBusy()
  if (!isRetryable(file.reportLoadStatusCode)) return null
  const retry = () => whileBusy(() => finish({ params: { id: uploadId, fileId: file.id }, body: {} }))
  return (
    <IconButton
      aria-label={`Retry ${file.reportOriginalFileName}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : retry}
      size="small"
    >
      {isBusy ? <Spinner /> : <RetryIcon size={14} />}
    </IconButton>
  )
}

const FailedDownload = ({ uploadId }: { uploadId: number }) => {
  const [isBusy, whileBusy] = useBusy()
  const start = () =>
    whileBusy(
      async () => finishDownload(exportOutcome(await call(batchFileRoutes.failed, { params: { id: uploadId } }))),
      (error) => finishDownload(exportFailure(error)),
    )
  return (
    <ActionButton startIcon={<DownloadIcon />} isBusy={isBusy} onClick={start}>
      Download failed items
    </ActionButton>
  )
}
