import { can } from '@lis/contract/access/permissions.ts'
import { type ClientDocument, clientRecordRoutes, clientRecordLabels as label } from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import Button from '@mui/material/Button'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../../lib/api.ts'
import { sendToStorage, type UploadContext } from '../../lib/send-to-storage.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { DownloadIcon, UploadIcon } from '../../ui/icons.tsx'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { isCancelled } from '../../ui/table/read-list.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { documentRules } from '../../ui/upload/file-rules.ts'
import { UploadDialog } from '../../ui/upload/upload-dialog.tsx'
import { RowButton } from './row-button.tsx'

const columnsFor = (onDownload: (document: ClientDocument) => void): readonly Column<ClientDocument>[] => [
  {
    key: 'docOriginalFileName',
    header: label.docOriginalFileName,
    width: 320,
    cell: ({ docOriginalFileName }) => <strong>{docOriginalFileName}</strong>,
  },
  {
    key: 'docCreateDate',
    header: label.docCreateDate,
    width: 150,
    cell: ({ docCreateDate }) => <Timestamp at={docCreateDate} />,
  },
  {
    key: 'docCreateByName',
    header: label.docCreateByName,
    width: 170,
    cell: ({ docCreateByName }) => docCreateByName,
  },
  {
    key: 'download',
    header: 'Download',
    HeaderIcon: DownloadIcon,
    width: 56,
    isSticky: 'right',
    cell: (document) => (
      <RowButton
        label={`Download ${document.docOriginalFileName}`}
        Glyph={DownloadIcon}
        onClick={() => onDownload(document)}
      />
    ),
  },
]
const nameOf = ({ docOriginalFileName }: ClientDocument) => docOriginalFileName

export const DocumentsTab = ({ client: { id } }: { client: Client }) => {
  const [isUploading, setUploading] = useState(false)
  const mayUpload = can(useRole(), 'clients.write')
  const { mutate: download } = useMutation({
    mutationFn: (document: ClientDocument) =>
      call(clientRecordRoutes.downloadDoc, { params: { id, recordId: document.id } }),
    onSuccess: (reply) => finishDownload(downloadOutcome(reply)),
    onError: (error) => isCancelled(error) || finishDownload(downloadFailure(error)),
  })
  const columns = useMemo(() => columnsFor(download), [download])
  return (
    <>
      <TableCard
        title="Documents"
        itemName="document"
        resource={clientRoutes.list.path}
        route={clientRecordRoutes.docs}
        params={{ id }}
        columns={columns}
        rowName={nameOf}
        removeRoute={clientRecordRoutes.removeDocs}
        actions={
          mayUpload && (
            <Button startIcon={<UploadIcon />} onClick={() => setUploading(true)}>
              Upload
            </Button>
          )
        }
        emptyText="No contract or other paper of this client has been uploaded yet."
      />
      {isUploading && <DocumentUpload clientId={id} onClose={() => setUploading(false)} />}
    </>
  )
}

/** Requests a slot, uploads the file, and then registers the document. */
const DocumentUpload = ({ clientId, onClose }: { clientId: number; onClose: () => void }) => {
  const params = { id: clientId }
  const init = useSave(clientRecordRoutes.initDoc, { failure: 'error', isSilent: true })
  const register = useSave(clientRecordRoutes.addDoc, { failure: 'error' })
  const upload = async (file: File, context: UploadContext) => {
    const { data: slot } = await init({ params, body: { fileName: file.name } })
    await sendToStorage(slot, file, context)
    await register({ params, body: { originalFileName: file.name, fileName: slot.newFileName } })
  }
  return <UploadDialog title="Upload document" rules={documentRules} upload={upload} onClose={onClose} />
}
