import { type DocumentType, documentRoutes, documentTypes, type RequisitionDocument } from '@lis/contract/documents.ts'
import IconButton from '@mui/material/IconButton'
import { DownloadIcon, EyeIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { useDocumentFile } from './use-document-file.ts'

const OpenDocument = ({ document }: { document: RequisitionDocument }) => {
  const { open, verb } = useDocumentFile(document)
  return (
    <IconButton size="small" aria-label={`${verb} ${document.docOriginalFileName}`} onClick={open}>
      {verb === 'View' ? <EyeIcon /> : <DownloadIcon />}
    </IconButton>
  )
}

const columns: Column<RequisitionDocument>[] = [
  { key: 'file', header: 'File Name', cell: (row) => row.docOriginalFileName },
  // Beside the name, where a phone shows it without scrolling.
  {
    key: 'open',
    header: 'Document',
    visibleTo: 'documents.section',
    cell: (row) => <OpenDocument document={row} />,
  },
  { key: 'type', header: 'Type', cell: (row) => documentTypes[row.docTypeCode as DocumentType]?.label },
  { key: 'date', header: 'Date', cell: (row) => <Timestamp at={row.docCreateDate} /> },
  { key: 'by', header: 'By', cell: (row) => row.docCreateByName },
]
const idOf = ({ id }: RequisitionDocument) => String(id)

/** Under a row of the requisition list: its scanned documents. */
export const DocumentsSubTable = ({ requisitionId }: { requisitionId: number }) => (
  <SubTable
    title="Scanned documents"
    columns={columns}
    route={documentRoutes.list}
    params={{ id: requisitionId }}
    rowId={idOf}
    level={2}
  />
)
