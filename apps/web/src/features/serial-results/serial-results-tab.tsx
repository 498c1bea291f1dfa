import { can } from '@lis/contract/access/permissions.ts'
import { documentRoutes, documentTypes, documentTypesFor } from '@lis/contract/documents.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { patientSerialRoutes } from '@lis/contract/serial-results.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { DocumentRow } from '../../domain/documents/document-row.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { serialPoints } from './serial-points.ts'

// The chart library is large and used only here.
const SerialChart = lazyPart(async () => (await import('./serial-chart.tsx')).SerialChart)

const Grid = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 360px), 1fr))',
  gap: 12,
  '& ul': { margin: 0, padding: 0, listStyle: 'none' },
})

/** The patient's data from all their requisitions. */
export const SerialResultsTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  return (
    <>
      {can(role, 'tests.seeResults') && <SerialCard patientId={requisition.patientId} />}
      <DocumentHistory patientId={requisition.patientId} />
    </>
  )
}

const SerialCard = ({ patientId }: { patientId: number }) => {
  const query = useQuery(read(patientSerialRoutes.serial, { params: { id: patientId } }))
  return (
    <Card title="SVDx">
      <div style={{ height: 280, display: 'flex' }}>
        <Loaded query={query}>
          {({ data }) => {
            const points = serialPoints(data)
            if (points.length === 0) return <EmptyState title="No data found" />
            return <SerialChart points={points} />
          }}
        </Loaded>
      </div>
    </Card>
  )
}

const DocumentHistory = ({ patientId }: { patientId: number }) => {
  const role = useRole()
  const types = documentTypesFor(role)
  const filters = { docTypeCode: types }
  const query = useQuery(readList(documentRoutes.ofPatient, { id: patientId }, { ...allRows, filters }))
  return (
    <Loaded query={query}>
      {({ data }) => (
        <Grid>
          {types.map((type) => {
            const documents = data.filter(({ docTypeCode }) => docTypeCode === type)
            return (
              <Card key={type} title={documentTypes[type].label}>
                {documents.length === 0 ? (
                  'Empty Table'
                ) : (
                  <ul>
                    {documents.map((document) => (
                      <DocumentRow key={document.id} document={document} isReadOnly />
                    ))}
                  </ul>
                )}
              </Card>
            )
          })}
        </Grid>
      )}
    </Loaded>
  )
}
