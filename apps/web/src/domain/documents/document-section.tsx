import { can } from '@lis/contract/access/permissions.ts'
import { type DocumentType, documentRoutes, type RequisitionDocument } from '@lis/contract/documents.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { call } from '../../lib/api.ts'
import { sendToStorage, type UploadContext } from '../../lib/send-to-storage.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { UploadIcon } from '../../ui/icons.tsx'
import { documentRules } from '../../ui/upload/file-rules.ts'
import { UploadDialog } from '../../ui/upload/upload-dialog.tsx'
import { DocumentRow } from './document-row.tsx'
import { useUnsentFiles } from './unsent-files.ts'
import { UnsentRow } from './unsent-row.tsx'

const Section = styled('section')(({ theme }) => ({
  padding: '8px 12px',
  borderBottom: '1px solid var(--line)',
  '&:last-of-type': { borderBottom: 0 },
  '& > header': { display: 'flex', alignItems: 'center', minHeight: 28 },
  '& h3': { flex: '1 1 auto', fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  '& ul': { margin: 0, padding: 0, listStyle: 'none' },
  [theme.breakpoints.down('sm')]: { '& > header': { minHeight: 44 } },
}))

interface DocumentSectionProps {
  requisitionId: number
  type: DocumentType
  title: string
  documents: readonly RequisitionDocument[]
}

export const DocumentSection = ({ requisitionId, type, title, documents }: DocumentSectionProps) => {
  const mayUpload = can(useRole(), 'documents.upload')
  const [isUploading, setUploading] = useState(false)
  const register = useSave(documentRoutes[type], { failure: 'error' })
  const unsent = useUnsentFiles(requisitionId, type)
  const params = { id: requisitionId }
  const upload = async (file: File, context: UploadContext) => {
    const { data } = await call(documentRoutes.upload, {
      params,
      body: { fileName: file.name, docTypeCode: type },
      signal: context.signal,
    })
    await sendToStorage(data, file, context)
    await register({ params, body: { originalFileName: file.name, fileName: data.newFileName } })
  }
  return (
    <Section aria-label={title}>
      <header>
        <h3>{title}</h3>
        {mayUpload && (
          <Button startIcon={<UploadIcon />} aria-label={`Upload ${title}`} onClick={() => setUploading(true)}>
            Upload
          </Button>
        )}
      </header>
      {documents.length > 0 && (
        <ul>
          {documents.map((document) => (
            <DocumentRow key={document.id} document={document} />
          ))}
        </ul>
      )}
      {unsent.map((one) => (
        <UnsentRow key={one.file.name} unsent={one} upload={upload} />
      ))}
      {isUploading && (
        <UploadDialog
          title={`Upload ${title}`}
          rules={documentRules}
          upload={upload}
          onClose={() => setUploading(false)}
        />
      )}
    </Section>
  )
}
