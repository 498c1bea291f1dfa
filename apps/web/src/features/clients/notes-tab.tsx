import { can } from '@lis/contract/access/permissions.ts'
import { type Client, clientLabels, clientRoutes, clientUpdate } from '@lis/contract/clients.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { EditIcon } from '../../ui/icons.tsx'

const fields: readonly FieldDef[] = [
  { name: 'clientNote', label: clientLabels.clientNote, kind: 'multiline', isWide: true },
]
const schema = clientUpdate.pick({ clientNote: true })

/** The client's note (CLI-G5): read, and edited in place. */
export const NotesTab = ({ client }: { client: Client }) => {
  const [edited, setEdited] = useState<Client | null>(null)
  const mayEdit = can(useRole(), 'clients.write')
  const update = useSave(clientRoutes.update)
  const { id } = client
  if (edited)
    return (
      <RecordForm
        title="Client Notes"
        schema={schema}
        fields={fields}
        values={edited}
        version={edited.version}
        submitLabel="Save"
        draftKey={`client-note:${id}`}
        onCancel={() => setEdited(null)}
        onSubmit={async (body, { version }) => {
          await update({ params: { id }, body, headers: ifMatch(version) })
          setEdited(null)
        }}
      />
    )
  return (
    <Card
      title="Client Notes"
      actions={
        mayEdit && (
          <Button startIcon={<EditIcon />} onClick={() => setEdited(client)}>
            Edit
          </Button>
        )
      }
    >
      {client.clientNote ? (
        <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{client.clientNote}</p>
      ) : (
        <p style={{ color: 'var(--text-3)' }}>There is no note.</p>
      )}
    </Card>
  )
}
