import {
  freezerRoutes,
  locationLabels as label,
  type RetentionRule,
  retentionRule,
} from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const fields: readonly FieldDef[] = [
  { name: 'specLocTypeCode', label: label.specLocTypeCode, kind: 'select', lookup: 'specLocType', isRequired: true },
  {
    name: 'days',
    label: label.retentionDays,
    kind: 'number',
    min: 1,
    isRequired: true,
    hint: 'Counted from the day it was placed',
  },
]

/** How long samples are kept, by their type: older ones are on the discard list. */
export const RetentionCard = ({ labId }: { labId: number }) => {
  const params = { labId }
  const rules = useQuery(read(freezerRoutes.retentionRules, { params })).data?.data
  const types = useLookup('specLocType').options
  const save = useSave(freezerRoutes.saveRetentionRules)
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<RetentionRule | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const typeOf = ({ specLocTypeCode }: RetentionRule) =>
    types?.find(({ value }) => value === specLocTypeCode)?.label ?? specLocTypeCode
  return (
    <Card
      title="Retention of samples"
      actions={
        rules && (
          <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
            Set rule
          </Button>
        )
      }
    >
      {rules?.length === 0 && 'No rule: no sample is on the discard list.'}
      {rules && rules.length > 0 && (
        <InfoList
          items={rules.map((rule) => [
            typeOf(rule),
            <span key={rule.specLocTypeCode}>
              {daysOf(rule)}{' '}
              <Button aria-label={`Remove rule for ${typeOf(rule)}`} onClick={() => setLeaving(rule)}>
                Remove
              </Button>
            </span>,
          ])}
        />
      )}
      {rules && isAdding && (
        <FormDialog
          title="Retention rule"
          submitLabel="Save"
          schema={retentionRule}
          fields={fields}
          intro="A rule of the same type is replaced."
          onSubmit={(rule) => save({ params, body: [...without(rules, rule), rule] })}
          onClose={() => setAdding(false)}
        />
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        title="Remove this rule?"
        subject={leaving ? `${typeOf(leaving)}: ${daysOf(leaving)}` : ''}
        confirmLabel="Remove"
        isDestructive
        isBusy={isBusy}
        onConfirm={() =>
          whileBusy(async () => {
            if (rules && leaving) await save({ params, body: without(rules, leaving) })
            setLeaving(null)
          })
        }
        onCancel={() => setLeaving(null)}
      >
        Samples of this type are then no longer on the discard list.
      </ConfirmDialog>
    </Card>
  )
}

const daysOf = ({ days }: RetentionRule) => (days === 1 ? '1 day' : `${days} days`)

const without = (rules: readonly RetentionRule[], { specLocTypeCode }: RetentionRule) =>
  rules.filter((rule) => rule.specLocTypeCode !== specLocTypeCode)
