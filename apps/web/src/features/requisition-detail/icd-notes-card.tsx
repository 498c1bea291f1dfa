import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import { optionalText } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { z } from 'zod'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { EditIcon } from '../../ui/icons.tsx'

const title = 'Client ICD Notes'
const schema = z.object({ legacyIcdNote: optionalText(title) })
const fields: FieldDef[] = [{ name: 'legacyIcdNote', label: 'Note', kind: 'multiline', isWide: true }]

/** The client's notes on diagnoses; greyed out for roles that only read it (DETAIL-G18). */
export const IcdNotesCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id, legacyIcdNote, version: stored } = requisition
  const mayEdit = can(useRole(), 'clientIcdNotes.edit')
  const form = useInlineForm()
  const save = useSave(requisitionEditRoutes.update)
  if (form.isOpen)
    return (
      <RecordForm
        title={title}
        schema={schema}
        fields={fields}
        values={{ legacyIcdNote }}
        version={stored}
        columns={1}
        submitLabel="Save"
        draftKey={`icd-note:${id}`}
        onCancel={form.close}
        onSubmit={async (body, { version }) => {
          await save({ params: { id }, body, headers: ifMatch(version) })
          form.close()
        }}
      />
    )
  return (
    <Card
      title={title}
      actions={
        mayEdit && (
          <Button ref={form.ref} variant="text" startIcon={<EditIcon />} onClick={form.open}>
            Edit
          </Button>
        )
      }
    >
      <p
        aria-disabled={!mayEdit || undefined}
        style={{
          margin: 0,
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          color: mayEdit ? undefined : 'var(--text-off)',
        }}
      >
        {legacyIcdNote ?? '–'}
      </p>
    </Card>
  )
}
