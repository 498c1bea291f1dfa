import { type Client, clientInput, unknownTimeZone } from '@lis/contract/clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { clientFields } from '../../domain/client-fields.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
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
      onCreated={({ id }) => setCreatedId(id)}
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
    notice={zoneNotice}
  />
)

const zoneNotice = ({ clientTz }: Values) =>
  clientTz === unknownTimeZone && <Banner type="warning">{messages.clientTimezoneTooltip}</Banner>
