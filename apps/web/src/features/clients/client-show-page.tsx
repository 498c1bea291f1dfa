import { can } from '@lis/contract/access/permissions.ts'
import { type Client, unknownTimeZone } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { Link } from 'react-router'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { useRole } from '../../lib/session.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { ClientCards } from './client-cards.tsx'
import { clients, clientTitle } from './client-resource.ts'
import { ClientTabs } from './client-tabs.tsx'
import { ReflexRulesCard } from './reflex-rules-card.tsx'

export const ClientShowPage = () => (
  <ResourceShowPage resource={clients} titleOf={clientTitle} isWide>
    {(client) => (
      <>
        <MissingZone client={client} />
        <ClientCards client={client} />
        <ReflexRules clientId={client.id} />
        <ClientTabs client={client} />
      </>
    )}
  </ResourceShowPage>
)

const MissingZone = ({ client }: { client: Client }) => {
  const mayEdit = can(useRole(), 'clients.write')
  if (client.clientTz !== unknownTimeZone) return null
  return (
    <Banner type="warning" actions={mayEdit && <Link to={`/clients/${client.id}`}>Set it by hand</Link>}>
      {messages.clientTimezoneTooltip}
    </Banner>
  )
}

/** The rules that a practice has agreed to are kept by the laboratory. */
const ReflexRules = ({ clientId }: { clientId: number }) => {
  const mayRead = can(useRole(), 'review.read')
  return mayRead ? <ReflexRulesCard clientId={clientId} /> : null
}
