import { usDate } from '@lis/contract/kit/date-range.ts'
import { accreditationInput, type Lab, labLabels, labRoutes } from '@lis/contract/labs.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const fields: readonly FieldDef[] = [
  { name: 'bodyName', label: labLabels.bodyName, kind: 'text', isRequired: true },
  { name: 'accreditationNumber', label: labLabels.accreditationNumber, kind: 'text', isRequired: true },
  { name: 'validTo', label: labLabels.validTo, kind: 'date' },
]

type Accreditation = Lab['accreditations'][number]
const nameOf = ({ bodyName, accreditationNumber }: Accreditation) => `${bodyName} ${accreditationNumber}`

/** The accreditations, in the order in which reports print them. */
export const AccreditationsCard = ({ lab, mayEdit }: { lab: Lab; mayEdit: boolean }) => {
  const { id, version, accreditations } = lab
  const update = useSave(labRoutes.update)
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<Accreditation | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const save = (list: Accreditation[]) =>
    update({ params: { id }, body: { accreditations: list }, headers: ifMatch(version) })
  return (
    <Card
      title={labLabels.accreditations}
      actions={
        mayEdit && (
          <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
            Add accreditation
          </Button>
        )
      }
    >
      {accreditations.length === 0 ? (
        'None'
      ) : (
        <InfoList
          items={accreditations.map((one) => [
            one.bodyName,
            <span key={nameOf(one)}>
              {one.accreditationNumber}
              {one.validTo && `, valid to ${usDate(one.validTo)}`}{' '}
              {mayEdit && (
                <Button aria-label={`Remove ${nameOf(one)}`} onClick={() => setLeaving(one)}>
                  Remove
                </Button>
              )}
            </span>,
          ])}
        />
      )}
      {isAdding && (
        <FormDialog
          title="Add accreditation"
          submitLabel="Add"
          schema={accreditationInput}
          fields={fields}
          onSubmit={(values) => save([...accreditations, values])}
          onClose={() => setAdding(false)}
        />
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        title="Remove this accreditation?"
        subject={leaving ? nameOf(leaving) : ''}
        confirmLabel="Remove"
        isDestructive
        isBusy={isBusy}
        onConfirm={() =>
          whileBusy(async () => {
            await save(accreditations.filter((one) => one !== leaving))
            setLeaving(null)
          })
        }
        onCancel={() => setLeaving(null)}
      >
        Reports made from now on no longer print it.
      </ConfirmDialog>
    </Card>
  )
}
