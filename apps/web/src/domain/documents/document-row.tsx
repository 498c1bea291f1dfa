import { can } from '@lis/contract/access/permissions.ts'
import { documentRoutes, type RequisitionDocument } from '@lis/contract/documents.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeleteWarning } from '../../ui/delete-warning.tsx'
import { DownloadIcon, EyeIcon, RequisitionsIcon } from '../../ui/icons.tsx'
import { TrashIcon } from '../../ui/table/table-icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { useDocumentFile } from './use-document-file.ts'

const Row = styled('li')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 28,
  '& .name': { flex: '1 1 auto', minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& time': { flex: 'none', color: 'var(--text-3)' },
  '& svg': { flex: 'none' },
  '& .file': { flex: '1 1 auto', minWidth: 0, display: 'flex', alignItems: 'center', gap: 8 },
  // On phones the time is below the name, and the buttons are at the right edge.
  [theme.breakpoints.down('sm')]: {
    minHeight: 48,
    fontSize: 13,
    '& .file': { display: 'block' },
    '& .name': { display: 'block' },
    '& time': { fontSize: 11 },
  },
}))

/** One file: download it, or view it on a phone; super admins can delete it. */
export const DocumentRow = ({
  document,
  isReadOnly = false,
}: {
  document: RequisitionDocument
  isReadOnly?: boolean
}) => {
  const { docOriginalFileName: name, docCreateDate, docCreateByName } = document
  const role = useRole()
  const mayOpen = can(role, 'documents.section')
  const { open, verb } = useDocumentFile(document)
  return (
    <Row>
      <RequisitionsIcon size={14} />
      <span className="file">
        <span className="name" title={docCreateByName ? `${name}, uploaded by ${docCreateByName}` : name}>
          {name}
        </span>
        <Timestamp at={docCreateDate} />
      </span>
      {mayOpen && verb === 'View' && (
        <Button startIcon={<EyeIcon />} aria-label={`View ${name}`} onClick={open}>
          View
        </Button>
      )}
      {mayOpen && verb !== 'View' && (
        <IconButton size="small" aria-label={`${verb} ${name}`} onClick={open}>
          <DownloadIcon />
        </IconButton>
      )}
      {!isReadOnly && can(role, 'documents.delete') && <DeleteDocument document={document} />}
    </Row>
  )
}

const DeleteDocument = ({
  document: { id: docId, reqId: id, docOriginalFileName: name },
}: {
  document: RequisitionDocument
}) => {
  const [isAsking, setAsking] = useState(false)
  const [isBusy, whileBusy] = useBusy()
  const remove = useSave(documentRoutes.remove, { failure: 'error' })
  const confirm = () =>
    whileBusy(async () => {
      await remove({ params: { id, docId } })
    })
  return (
    <>
      <IconButton size="small" aria-label={`Delete ${name}`} onClick={() => setAsking(true)}>
        <TrashIcon />
      </IconButton>
      <ConfirmDialog
        isOpen={isAsking}
        title={messages.deleteOne('document')}
        subject={name}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setAsking(false)}
      >
        <DeleteWarning />
      </ConfirmDialog>
    </>
  )
}
