import { can } from '@lis/contract/access/permissions.ts'
import { isIsoDate, usDate } from '@lis/contract/kit/date-range.ts'
import { type Lab, labLabels, labRoutes } from '@lis/contract/labs.ts'
import { messages } from '@lis/contract/messages.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { formatPhone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid, Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { AccreditationsCard } from './accreditations-card.tsx'
import { CalendarCard } from './calendar-card.tsx'
import { DowntimeCard } from './downtime-card.tsx'
import { InspectionCard } from './inspection-card.tsx'
import { RetentionCard } from './retention-card.tsx'
import { SignersCard } from './signers-card.tsx'

/** The record of a laboratory, as reports and claims print it, and who may sign for it. The address may ask for an earlier day. */
export const LabPage = () => {
  const [search, setSearch] = useSearchParams()
  const asOf = search.get('asOf') ?? ''
  const isEarlier = isIsoDate(asOf)
  const id = Number(useParams().id)
  const query = useQuery(read(labRoutes.one, { params: { id }, query: isEarlier ? { asOf } : {} }))
  const lab = query.data?.data
  const mayEdit = can(useRole(), 'labs.write') && !isEarlier
  return (
    <RecordPage
      parent={{ to: '/labs', label: 'Laboratories' }}
      title={lab?.labName ?? 'Laboratory'}
      action={lab && mayEdit && <EditLink variant="contained" color="primary" to={`/labs/${lab.id}`} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/labs', label: 'Laboratories' }} />}>
        {({ data }) => (
          <>
            <div style={{ width: 180 }}>
              <FieldInput
                field={asOfField}
                value={asOf}
                error={asOf === '' || isEarlier ? undefined : messages.invalidDate}
                onChange={(value) => setSearch(value ? { asOf: String(value) } : {}, { replace: true })}
              />
            </div>
            {isEarlier && <Banner type="info">{`The record as it was at the end of ${usDate(asOf)}.`}</Banner>}
            <Cards lab={data} mayEdit={mayEdit} isEarlier={isEarlier} />
          </>
        )}
      </Loaded>
    </RecordPage>
  )
}

const asOfField: FieldDef = { name: 'asOf', label: 'As of', kind: 'date' }

const Cards = ({ lab, mayEdit, isEarlier }: { lab: Lab; mayEdit: boolean; isEarlier: boolean }) => (
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
    {!isEarlier && (
      <>
        <CalendarCard labId={lab.id} mayEdit={mayEdit} />
        {mayEdit && <RetentionCard labId={lab.id} />}
        <DowntimeCard lab={lab} />
        <InspectionCard lab={lab} />
        <SignersCard labId={lab.id} mayEdit={mayEdit} />
      </>
    )}
  </>
)
