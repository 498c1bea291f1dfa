import { can } from '@lis/contract/access/permissions.ts'
import { type Lab, labLabels, labRoutes } from '@lis/contract/labs.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { formatPhone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid, Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { AccreditationsCard } from './accreditations-card.tsx'
import { CalendarCard } from './calendar-card.tsx'
import { DowntimeCard } from './downtime-card.tsx'
import { SignersCard } from './signers-card.tsx'

/** The record of a laboratory, as reports and claims print it, and who may sign for it. */
export const LabPage = () => {
  const query = useQuery(read(labRoutes.one, { params: { id: Number(useParams().id) } }))
  const lab = query.data?.data
  const mayEdit = can(useRole(), 'labs.write')
  return (
    <RecordPage
      title={lab?.labName ?? 'Laboratory'}
      action={lab && mayEdit && <EditLink variant="contained" color="primary" to={`/labs/${lab.id}`} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/labs', label: 'Laboratories' }} />}>
        {({ data }) => <Cards lab={data} mayEdit={mayEdit} />}
      </Loaded>
    </RecordPage>
  )
}

const Cards = ({ lab, mayEdit }: { lab: Lab; mayEdit: boolean }) => (
  <>
    <CardGrid>
      <Card title="About">
        <InfoList
          items={[
            [labLabels.labName, lab.labName],
            [labLabels.cliaNumber, lab.cliaNumber],
            [labLabels.directorName, lab.directorName],
            [labLabels.labTz, lab.labTz],
          ]}
        />
      </Card>
      <Card title="Address">
        <InfoList
          items={[
            [labLabels.labAddr1, lab.labAddr1],
            [labLabels.labAddr2, lab.labAddr2],
            [labLabels.labCity, lab.labCity],
            [labLabels.labStateId, lab.labState],
            [labLabels.labZip, lab.labZip],
            [labLabels.labCountryId, lab.labCountry],
            [labLabels.labPhone, formatPhone(lab.labPhone)],
          ]}
        />
      </Card>
    </CardGrid>
    <AccreditationsCard lab={lab} mayEdit={mayEdit} />
    <CalendarCard labId={lab.id} mayEdit={mayEdit} />
    <DowntimeCard lab={lab} />
    <SignersCard labId={lab.id} mayEdit={mayEdit} />
  </>
)
