import { can } from '@lis/contract/access/permissions.ts'
import { type Client, clientLabels as label, unknownTimeZone } from '@lis/contract/clients.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { ZoneWarning } from '../../domain/zone-warning.tsx'
import { formatPhone } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { EmailText } from '../../ui/table/email-text.tsx'

const Cards = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(3, minmax(0, 1fr))',
  gap: 12,
  // The longest card beside the two short ones.
  [theme.breakpoints.down('lg')]: {
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    gridTemplateRows: 'auto 1fr',
    '& > :nth-of-type(2)': { gridRow: '1 / span 2', gridColumn: 2 },
  },
  [theme.breakpoints.down('md')]: { display: 'flex', flexDirection: 'column' },
}))

/** The client's identity, contact data, and settings for reports and billing (CLI-G9). */
export const ClientCards = ({ client }: { client: Client }) => (
  <Cards>
    <Card title="Info">
      <InfoList
        items={[
          [label.legacyClientId, client.legacyClientId],
          [label.clientName, <strong key="name">{client.clientName}</strong>],
          [label.clientExtId, client.clientExtId],
          [label.colaId, <Collaborator key="cola" client={client} />],
          [label.serviceId, client.serviceName],
          [label.salesIds, client.salesNames],
          [label.labIds, client.labNames],
          [label.clientReqTypeCode, client.clientReqTypeDesc],
          [label.isContractPhleb, client.isContractPhleb === 1 ? 'Yes' : 'No'],
        ]}
      />
    </Card>
    <Card title="Contact">
      <InfoList
        items={[
          [label.clientAddr1, client.clientAddr1],
          [label.clientAddr2, client.clientAddr2],
          [label.clientCity, client.clientCity],
          [label.clientStateId, client.clientState],
          [label.clientZip, client.clientZip],
          [label.clientCountryId, client.clientCountry],
          [label.clientTz, <Zone key="tz" zone={client.clientTz} />],
          [label.clientPhone, formatPhone(client.clientPhone)],
          [label.clientEmail, client.clientEmail && <Mail address={client.clientEmail} />],
          [label.clientName2, client.clientName2],
          [label.clientPhone2, formatPhone(client.clientPhone2)],
          [label.clientEmail2, client.clientEmail2 && <Mail address={client.clientEmail2} />],
        ]}
      />
    </Card>
    <Card title="Reports and Billing">
      <InfoList
        items={[
          [label.clientTransmitMethodCode, client.clientTransmitMethodDesc],
          [label.clientFaxEmail, client.clientFaxEmail && <Mail address={client.clientFaxEmail} />],
          [label.clientDeliveryNote, client.clientDeliveryNote],
          [label.clientPortalPrefCode, client.clientPortalPrefDesc],
          [label.isPortalOrder, client.isPortalOrder === 1 ? 'Yes' : 'No'],
          [label.clientBillTypeCode, client.clientBillTypeDesc],
        ]}
      />
    </Card>
  </Cards>
)

const Zone = ({ zone }: { zone: string }) => (
  <>
    {zone} {zone === unknownTimeZone && <ZoneWarning />}
  </>
)

const Mail = ({ address }: { address: string }) => (
  <a href={`mailto:${address}`}>
    <EmailText email={address} />
  </a>
)

const Collaborator = ({ client: { colaId, colaName } }: { client: Client }) =>
  can(useRole(), 'collaborators.read') ? <Link to={`/collaborators/${colaId}/show`}>{colaName}</Link> : colaName
