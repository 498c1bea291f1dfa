import { can } from '@lis/contract/access/permissions.ts'
import { type Client, clientRoutes, zoneMissing } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { ClientCards } from './client-cards.tsx'
import { ClientTabs } from './client-tabs.tsx'

export const ClientShowPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(clientRoutes.one, { params: { id } }))
  const mayEdit = can(useRole(), 'clients.write')
  const client = query.data?.data
  return (
    <RecordPage
      isWide
      title={client ? `${client.clientName} (${client.legacyClientId})` : 'Client'}
      action={client && mayEdit && <EditLink variant="contained" color="primary" to={`/clients/${id}`} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/clients', label: 'Clients' }} />}>
        {({ data }) => (
          <>
            <MissingZone client={data} mayEdit={mayEdit} />
            <ClientCards client={data} />
            <ClientTabs key={data.id} client={data} />
          </>
        )}
      </Loaded>
    </RecordPage>
  )
}

const MissingZone = ({ client, mayEdit }: { client: Client; mayEdit: boolean }) =>
  client.clientTz === zoneMissing && (
    <Banner type="warning" actions={mayEdit && <Link to={`/clients/${client.id}`}>Set it by hand</Link>}>
      {messages.clientTimezoneTooltip}
    </Banner>
  )
