import { can } from '@lis/contract/access/permissions.ts'
import { physicianLabels as label, type Physician, physicianRoutes } from '@lis/contract/physicians.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid, Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { ClientsCard } from './clients-card.tsx'
import { Npi } from './npi.tsx'

export const PhysicianShowPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(physicianRoutes.one, { params: { id } }))
  const mayEdit = can(useRole(), 'physicians.write')
  const physician = query.data?.data
  return (
    <RecordPage
      title={physician ? `${physician.physFirstName} ${physician.physLastName}` : 'Physician'}
      action={physician && mayEdit && <EditLink variant="contained" color="primary" to={`/physicians/${id}`} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/physicians', label: 'Physicians' }} />}>
        {({ data }) => (
          <>
            <Cards physician={data} />
            <ClientsCard key={data.id} physician={data} />
          </>
        )}
      </Loaded>
    </RecordPage>
  )
}

const Cards = ({ physician }: { physician: Physician }) => (
  <CardGrid>
    <Card title="General Information">
      <InfoList
        items={[
          [label.physFirstName, physician.physFirstName],
          [label.physMiddleName, physician.physMiddleName],
          [label.physLastName, physician.physLastName],
          [label.physTitle, physician.physTitle],
          [label.npiNumber, <Npi key="npi" physician={physician} />],
          [label.ptanNumber, physician.ptanNumber],
        ]}
      />
    </Card>
    <Card title="Portal Preferences">
      <InfoList items={[[label.physPortalPrefCode, physician.physPortalPrefDesc]]} />
    </Card>
  </CardGrid>
)
