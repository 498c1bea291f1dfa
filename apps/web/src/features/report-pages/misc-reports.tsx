import { canAll, resultReadPermissions } from '@lis/contract/access/permissions.ts'
import { adHocForm, eventForm, reportPageLabels as labels, miscReportRoutes } from '@lis/contract/reports-pages.ts'
import { styled } from '@mui/material/styles'
import { useRole } from '../../lib/session.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { useReportDownload } from './use-report-download.ts'

const Cards = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12, maxWidth: 760 })

const adHocFields: FieldDef[] = [
  {
    name: 'colaId',
    label: labels.colaId,
    kind: 'autocomplete',
    lookup: 'collaborators',
    isRequired: true,
    selectsOnlyOption: true,
  },
  {
    name: 'reqIds',
    label: labels.reqIds,
    kind: 'text',
    isRequired: true,
    isWide: true,
    hint: 'Numbers, separated by commas',
  },
]

const eventFields: FieldDef[] = [
  {
    name: 'clientId',
    label: labels.clientId,
    kind: 'autocomplete',
    lookup: 'filterClients',
    isRequired: true,
    selectsOnlyOption: true,
    clears: ['eventId'],
  },
  {
    name: 'eventId',
    label: labels.eventId,
    kind: 'select',
    lookup: 'clientEvents',
    lookupParams: ({ clientId }) => (clientId ? { id: Number(clientId) } : null),
    isRequired: true,
    selectsOnlyOption: true,
  },
]

/** The two reports with other input than a period. */
export const MiscReports = () => (
  <Cards>
    {canAll(useRole(), resultReadPermissions) && <AdHoc />}
    <Events />
  </Cards>
)

const AdHoc = () => {
  const { mutateAsync } = useReportDownload(miscReportRoutes.adHoc)
  return (
    <RecordForm
      title="Ad Hoc Resulted Tests for Reporting"
      schema={adHocForm}
      fields={adHocFields}
      columns={2}
      submitLabel="Download"
      onSubmit={(values) => mutateAsync(values)}
    />
  )
}

const Events = () => {
  const { mutateAsync } = useReportDownload(miscReportRoutes.events)
  return (
    <RecordForm
      title="Client Event Requisitions"
      schema={eventForm}
      fields={eventFields}
      columns={2}
      submitLabel="Download"
      onSubmit={(values) => mutateAsync(values)}
    />
  )
}
