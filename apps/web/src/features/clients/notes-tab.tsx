import { can } from '@lis/contract/access/permissions.ts'
import { type Client, clientLabels, clientRoutes, clientUpdate } from '@lis/contract/clients.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { yesNo } from '../../domain/client-fields.ts'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { EditIcon } from '../../ui/icons.tsx'

const fields: readonly FieldDef[] = [
  { name: 'clientNote', label: clientLabels.clientNote, kind: 'multiline', isWide: true },
  { name: 'isNoteVisible', label: clientLabels.isNoteVisible, kind: 'radio', options: yesNo },
]
const schema = clientUpdate.pick({ clientNote: true, isNoteVisible: true })

/** The client's note (CLI-G5), edited in place. */
export const NotesTab = ({ client }: { client: Client }) => {
  const form = useInlineForm()
  // The form must not change when the record is read again.
  const [edited, setEdited] = useState(client)
  const mayEdit = can(useRole(), 'clients.write')
  const update = useSave(clientRoutes.update)
  const { id } = client
  const edit = () => {
    setEdited(client)
    form.open()
  }
  if (form.isOpen)
    return (
      <RecordForm
        title="Client Notes"
        schema={schema}
        fields={fields}
        values={edited}
        version={edited.version}
        submitLabel="Save"
        draftKey={`client-note:${id}`}
        onCancel={form.close}
        onSubmit={async (body, { version }) => {
          await update({ params: { id }, body, headers: ifMatch(version) })
          form.close()
        }}
      />
    )
  return (
    <Card
      title="Client Notes"
      actions={
        mayEdit && (
          <Button ref={form.ref} startIcon={<EditIcon />} onClick={edit}>
            Edit
          </Button>
        )
      }
    >
      {client.clientNote ? (
        <>
          <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{client.clientNote}</p>
          {mayEdit && (
            <p style={{ marginTop: 8, color: 'var(--text-3)' }}>
              {client.isNoteVisible === 1
                ? 'The client can read this note.'
                : 'Only the laboratory can read this note.'}
            </p>
          )}
        </>
      ) : (
        <p style={{ color: 'var(--text-3)' }}>There is no note.</p>
      )}
    </Card>
  )
}
