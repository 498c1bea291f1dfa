import { physicianLabels as label, type Physician } from '@lis/contract/physicians.ts'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import { ClientsCard } from './clients-card.tsx'
import { Npi } from './npi.tsx'
import { physicianName, physicians } from './physician-resource.ts'

export const PhysicianShowPage = () => (
  <ResourceShowPage resource={physicians} titleOf={physicianName}>
    {(physician) => (
      <>
        <Cards physician={physician} />
        <ClientsCard physician={physician} />
      </>
    )}
  </ResourceShowPage>
)

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
