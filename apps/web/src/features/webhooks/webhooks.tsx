import {
  webhookLabels as label,
  type Webhook,
  webhookEvents,
  webhookInput,
  webhookRoutes,
  webhookUpdate,
} from '@lis/contract/webhooks.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { type Resource, showAddress } from '../../domain/resource/resource.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { SecretDialog } from '../../domain/secret-dialog.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

interface NewWebhook {
  id: number
  secret: string
}

export const webhooks: Resource<Webhook, Webhook, NewWebhook> = {
  kind: 'webhook',
  path: 'webhooks',
  title: 'Webhooks',
  itemTitle: 'Webhook',
  permission: 'webhooks.manage',
  routes: webhookRoutes,
}
export const webhookName = ({ name }: Webhook) => name

const columns: readonly Column<Webhook>[] = [
  {
    key: 'name',
    header: label.name,
    sort: 'name',
    width: 200,
    isSticky: true,
    card: 'title',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  { key: 'url', header: label.url, sort: 'url', width: 320, cell: ({ url }) => url },
  { key: 'clientName', header: label.clientId, sort: 'clientName', width: 200, cell: ({ clientName }) => clientName },
  { key: 'colaName', header: label.colaId, sort: 'colaName', width: 160, cell: ({ colaName }) => colaName },
  {
    key: 'isActive',
    header: label.isActive,
    sort: 'isActive',
    width: 80,
    cell: ({ isActive }) => (isActive === 1 ? 'Yes' : 'No'),
  },
  { key: 'waitingCount', header: 'Waiting', width: 80, align: 'right', cell: ({ waitingCount }) => waitingCount },
  {
    key: 'lastSentDate',
    header: 'Last sent',
    width: 150,
    cell: ({ lastSentDate }) => lastSentDate && <Timestamp at={lastSentDate} />,
  },
]

const yesOrNo = [
  { value: 1, label: 'Yes' },
  { value: 0, label: 'No' },
]

const filters: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text' },
  { name: 'url', label: label.url, kind: 'text' },
  { name: 'clientId', label: label.clientId, kind: 'autocomplete', lookup: 'clients' },
  { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators' },
  { name: 'isActive', label: label.isActive, kind: 'select', options: yesOrNo },
]

const fields: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text', isRequired: true },
  {
    name: 'clientId',
    label: label.clientId,
    kind: 'autocomplete',
    lookup: 'clients',
    clears: ['colaId'],
    hint: 'Without a client or collaborator it receives every event',
  },
  { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators', clears: ['clientId'] },
  {
    name: 'url',
    label: label.url,
    kind: 'text',
    isRequired: true,
    isWide: true,
    hint: 'A public https address of the other system',
  },
  {
    name: 'events',
    label: label.events,
    kind: 'checkbox',
    options: webhookEvents.map((event) => ({ value: event, label: event })),
    isRequired: true,
    isWide: true,
  },
  { name: 'isActive', label: label.isActive, kind: 'singleCheckbox', initial: 1 },
]

export const WebhookListPage = () => (
  <ResourceListPage
    resource={webhooks}
    searchLabel="Search webhooks"
    columns={columns}
    filters={filters}
    rowName={webhookName}
  />
)

export const WebhookCreatePage = () => {
  const navigate = useNavigate()
  const [made, setMade] = useState<NewWebhook>()
  return (
    <ResourceCreatePage resource={webhooks} title="Webhook" schema={webhookInput} fields={fields} onCreated={setMade}>
      {made && (
        <WebhookSecret
          secret={made.secret}
          onClose={() => navigate(showAddress(webhooks, made.id), { replace: true })}
        />
      )}
    </ResourceCreatePage>
  )
}

export const WebhookSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <SecretDialog
    title="Secret of the webhook"
    values={[['Secret', secret]]}
    hint="The other system checks the signature of each call with it (Standard Webhooks)."
    onClose={onClose}
  />
)

export const WebhookEditPage = () => (
  <ResourceEditPage
    resource={webhooks}
    titleOf={webhookName}
    subjectOf={webhookName}
    schema={webhookUpdate}
    fields={fields}
  />
)
