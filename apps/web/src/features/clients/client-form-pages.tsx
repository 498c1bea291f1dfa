import { type Client, clientInput, type PossibleDuplicateClient, unknownTimeZone } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { clientFields } from '../../domain/client-fields.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { formatPhone } from '../../lib/formats.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { clients, clientTitle } from './client-resource.ts'

export const ClientCreatePage = () => {
  const navigate = useNavigate()
  const [createdId, setCreatedId] = useState<number>()
  return (
    <ResourceCreatePage
      resource={clients}
      title="Client Information"
      schema={clientInput}
      fields={clientFields}
      renderDuplicate={renderDuplicate}
      onCreated={setCreatedId}
    >
      {/* Without a physician nobody can order for the new client. */}
      <ConfirmDialog
        isOpen={createdId !== undefined}
        title="Would you like to create a physician?"
        confirmLabel="Yes"
        cancelLabel="No"
        onConfirm={() => navigate(`/physicians/create?relatedClient=${createdId}`, { replace: true })}
        onCancel={() => navigate(`/clients/${createdId}/show`, { replace: true })}
      />
    </ResourceCreatePage>
  )
}

export const ClientEditPage = () => (
  <ResourceEditPage
    resource={clients}
    titleOf={({ clientName }: Client) => clientName}
    subjectOf={clientTitle}
    schema={clientInput}
    fields={clientFields}
    renderDuplicate={renderDuplicate}
    notice={zoneNotice}
  />
)

const zoneNotice = ({ clientTz }: Values) =>
  clientTz === unknownTimeZone && <Banner type="warning">{messages.clientTimezoneTooltip}</Banner>

/** A client with the same name and zip code. */
const renderDuplicate = ({ id, clientName, legacyClientId, ...client }: PossibleDuplicateClient) => (
  <>
    {/* In a new tab, so that the input is kept. */}
    <a href={`/clients/${id}/show`} target="_blank" rel="noreferrer">
      {clientName} ({legacyClientId})
    </a>
    <br />
    {client.clientAddr1}, {client.clientCity}, {client.clientState} {client.clientZip},{' '}
    {formatPhone(client.clientPhone)}
  </>
)
