import { can } from '@lis/contract/access/permissions.ts'
import { webhookLabels as label, type Webhook, type WebhookDelivery, webhookRoutes } from '@lis/contract/webhooks.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { ConfirmButton } from '../../domain/confirm-button.tsx'
import { MessageStateTag } from '../../domain/message-state-tag.tsx'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import type { Column } from '../../ui/table/column.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { WebhookSecret, webhookName, webhooks } from './webhooks.tsx'

export const WebhookShowPage = () => (
  <ResourceShowPage resource={webhooks} titleOf={webhookName} isWide>
    {(webhook) => (
      <>
        <CardGrid>
          <AboutCard webhook={webhook} />
          <CallsCard webhook={webhook} />
        </CardGrid>
        <Deliveries webhook={webhook} />
      </>
    )}
  </ResourceShowPage>
)

const AboutCard = ({ webhook }: { webhook: Webhook }) => (
  <Card title="About">
    <InfoList
      items={[
        [label.url, webhook.url],
        [label.events, webhook.events.join(', ')],
        ['Client or collaborator', <Owner key="owner" webhook={webhook} />],
        [label.isActive, webhook.isActive === 1 ? 'Yes' : 'No'],
        ['Created', webhook.createDate && <Timestamp key="created" at={webhook.createDate} />],
      ]}
    />
  </Card>
)

const Owner = ({ webhook: { clientId, clientName, colaId, colaName } }: { webhook: Webhook }) => {
  if (clientId !== null) return <Link to={`/clients/${clientId}/show`}>{clientName}</Link>
  if (colaId !== null) return <Link to={`/collaborators/${colaId}/show`}>{colaName}</Link>
  return 'Every client'
}

const CallsCard = ({ webhook }: { webhook: Webhook }) => {
  const mayManage = can(useRole(), 'webhooks.manage')
  return (
    <Card
      title="Calls"
      actions={
        mayManage && (
          <>
            {webhook.isActive === 1 && <SendTest webhook={webhook} />}
            <RotateSecret webhook={webhook} />
          </>
        )
      }
    >
      <InfoList
        items={[
          ['Waiting', webhook.waitingCount],
          ['Last sent', webhook.lastSentDate && <Timestamp key="sent" at={webhook.lastSentDate} />],
        ]}
      />
    </Card>
  )
}

const SendTest = ({ webhook }: { webhook: Webhook }) => {
  const send = useSave(webhookRoutes.test)
  const [isBusy, whileBusy] = useBusy()
  return (
    <ActionButton isBusy={isBusy} onClick={() => whileBusy(() => send({ params: { id: webhook.id } }))}>
      Send a test
    </ActionButton>
  )
}

const RotateSecret = ({ webhook }: { webhook: Webhook }) => {
  const rotate = useSave(webhookRoutes.rotateSecret)
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <ConfirmButton
        label="New secret"
        title="Make a new secret?"
        subject={webhook.name}
        onConfirm={async () => setSecret((await rotate({ params: { id: webhook.id } })).data.secret)}
      >
        Both secrets sign for 24 hours; then the old one ends.
      </ConfirmButton>
      {secret && <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

const columns: readonly Column<WebhookDelivery>[] = [
  { key: 'receivedDate', header: 'Since', cell: ({ receivedDate }) => <Timestamp at={receivedDate} /> },
  { key: 'messageType', header: 'Event', cell: ({ messageType }) => messageType },
  { key: 'state', header: 'State', cell: ({ state }) => <MessageStateTag state={state} /> },
  {
    key: 'reqId',
    header: 'Req ID',
    cell: ({ reqId }) => reqId && <Link to={`/requisitions/${reqId}/show`}>{reqId}</Link>,
  },
  { key: 'ackCode', header: 'Answer', cell: ({ ackCode }) => ackCode },
  { key: 'attempts', header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => reason },
  { key: 'nextDate', header: 'Next try', cell: ({ nextDate }) => nextDate && <Timestamp at={nextDate} /> },
]

const newest = { page: 1, perPage: 50, filters: {}, sort: null }
const readAgainMs = 5000
const isWaiting = ({ nextDate }: WebhookDelivery) => nextDate !== null
const shownOf = (total: number) =>
  total > newest.perPage && (
    <p className="line">
      The newest {newest.perPage} of {total.toLocaleString('en-US')}; all are on the interface desk.
    </p>
  )

const Deliveries = ({ webhook }: { webhook: Webhook }) => (
  <SubTable
    title="Deliveries"
    level={2}
    columns={columns}
    route={webhookRoutes.deliveries}
    params={{ id: webhook.id }}
    query={newest}
    rowId={({ id }) => String(id)}
    rowHref={({ id }) => `/interfaces?message=${id}`}
    refreshMs={(rows) => rows.some(isWaiting) && readAgainMs}
    footer={shownOf}
  />
)
