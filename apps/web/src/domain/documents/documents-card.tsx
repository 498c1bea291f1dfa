import { can } from '@lis/contract/access/permissions.ts'
import { type DocumentType, documentRoutes, documentTypes, documentTypesFor } from '@lis/contract/documents.ts'
import { useQuery } from '@tanstack/react-query'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { DocumentSection } from './document-section.tsx'

interface DocumentsCardProps {
  requisitionId: number
  /** The sections to show; by default all that the role may see. */
  types?: readonly DocumentType[]
}

/** The files of a requisition, one section per type. Types that the role may not see are left out. */
export const DocumentsCard = ({ requisitionId, types }: DocumentsCardProps) => {
  const role = useRole()
  const shown = documentTypesFor(role).filter((type) => types?.includes(type) ?? true)
  const query = useQuery({
    ...readList(documentRoutes.list, { id: requisitionId }, allRows),
    enabled: can(role, 'documents.list'),
  })
  if (shown.length === 0) return null
  return (
    <Card title="Downloads/Uploads">
      <Loaded query={query}>
        {({ data }) => (
          <div style={{ margin: -12 }}>
            {shown.map((type) => (
              <DocumentSection
                key={type}
                requisitionId={requisitionId}
                type={type}
                title={documentTypes[type].label}
                documents={data.filter(({ docTypeCode }) => docTypeCode === type)}
              />
            ))}
          </div>
        )}
      </Loaded>
    </Card>
  )
}
