import { clientInput, clientRoutes } from '@lis/contract/clients.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { clientFields } from '../../domain/client-fields.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { useClientTwins } from './use-client-twins.tsx'

export const ClientCreatePage = () => {
  const create = useSave(clientRoutes.create)
  const { saveChecked, question } = useClientTwins()
  const navigate = useNavigate()
  const [createdId, setCreatedId] = useState<number>()
  return (
    <RecordPage title="Create Client">
      <RecordForm
        title="Client Information"
        schema={clientInput}
        fields={clientFields}
        submitLabel="Create"
        draftKey="client"
        onCancel={() => navigate('/clients')}
        onSubmit={async (body) => {
          const { data } = await saveChecked((confirmDuplicate) => create({ body: { ...body, confirmDuplicate } }))
          setCreatedId(data.id)
        }}
      />
      {question}
      {/* Without a physician nobody can order for the new client. */}
      <ConfirmDialog
        isOpen={createdId !== undefined}
        title="Would you like to create a physician?"
        confirmLabel="Yes"
        cancelLabel="No"
        onConfirm={() => navigate(`/physicians/create?relatedClient=${createdId}`, { replace: true })}
        onCancel={() => navigate(`/clients/${createdId}/show`, { replace: true })}
      />
    </RecordPage>
  )
}
