import {
  type Billing,
  billingRoutes,
  clearedByRelation,
  guarantorInput,
  isGuarantorHidden,
  guarantorLabels as label,
} from '@lis/contract/billing.ts'
import Button from '@mui/material/Button'
import { useId, useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormCard } from '../../ui/form/form-card.tsx'
import { FormConflict } from '../../ui/form/form-conflict.tsx'
import { FormFields } from '../../ui/form/form-fields.tsx'
import { useFocusFirstField } from '../../ui/form/form-focus.ts'
import { useRecordForm } from '../../ui/form/use-record-form.ts'

const title = 'Guarantor Information'

interface GuarantorFormProps {
  billing: Billing
  status: string
  onClose: () => void
}

/** A custom form, because the relation clears other fields by its value, and 'Same as patient' fills them. */
export const GuarantorForm = ({ billing, status, onClose }: GuarantorFormProps) => {
  const id = useId()
  const fields = useMemo(() => fieldsFor(status), [status])
  const save = useSave(billingRoutes.saveBilling)
  const record = useRecordForm({
    schema: guarantorInput,
    fields,
    values: billing,
    version: billing.version,
    draftKey: `guarantor-${billing.billId}`,
    onSubmit: async (body, { version }) => {
      await save({ params: { id: billing.reqId, billId: billing.billId }, body, headers: ifMatch(version) })
      onClose()
    },
  })
  useFocusFirstField(record, fields)
  const { form, formErrors, isSending, submit } = record
  const values = useWatch({ control: form.control })
  const fill = (names: readonly string[], from: Values = {}) => {
    for (const name of names) record.change(name, from[name] ?? '')
  }
  const change = (name: string, value: unknown) => {
    record.change(name, value)
    if (name === 'relationTypeCode') fill(clearedByRelation(value))
  }
  const isSelf = values.relationTypeCode === 'SELF' && !isGuarantorHidden('SELF', status)
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <ActionButton type="submit" form={id} variant="contained" isBusy={isSending}>
        Save
      </ActionButton>
    </>
  )
  return (
    <FormCard title={title} isEdit actions={actions}>
      {formErrors.map((message) => (
        <Banner key={message} type="error">
          {message}
        </Banner>
      ))}
      <form id={id} noValidate onSubmit={submit} aria-label={title}>
        <FormFields
          form={{ ...record, change }}
          fields={fields}
          values={values}
          columns={2}
          isLocked={record.isSending}
        />
        {isSelf && (
          <Button variant="text" sx={{ mt: 2 }} onClick={() => fill(Object.keys(billing.patient), billing.patient)}>
            Same as patient
          </Button>
        )}
      </form>
      <FormConflict form={record} values={values} />
    </FormCard>
  )
}

const fieldsFor = (status: string): readonly FieldDef[] => {
  const isHidden = (values: Values) => isGuarantorHidden(values.relationTypeCode, status)
  const person: readonly FieldDef[] = [
    { name: 'guarantorFirstName', label: label.guarantorFirstName, kind: 'text', isRequired: true },
    { name: 'guarantorMiddleName', label: label.guarantorMiddleName, kind: 'text' },
    { name: 'guarantorLastName', label: label.guarantorLastName, kind: 'text', isRequired: true },
    { name: 'guarantorDob', label: label.guarantorDob, kind: 'date', isRequired: true, isBirthDate: true },
    {
      name: 'guarantorGenderCode',
      label: label.guarantorGenderCode,
      kind: 'select',
      lookup: 'gender',
      isRequired: true,
    },
    { name: 'guarantorAddr1', label: label.guarantorAddr1, kind: 'text', isRequired: true },
    { name: 'guarantorAddr2', label: label.guarantorAddr2, kind: 'text' },
    { name: 'guarantorCity', label: label.guarantorCity, kind: 'text', isRequired: true },
    {
      name: 'guarantorStateId',
      label: label.guarantorStateId,
      kind: 'autocomplete',
      lookup: 'states',
      isRequired: true,
    },
    { name: 'guarantorZip', label: label.guarantorZip, kind: 'text', isRequired: true },
  ]
  return [
    {
      name: 'relationTypeCode',
      label: label.relationTypeCode,
      kind: 'select',
      lookup: 'relationType',
      isRequired: true,
      isWide: true,
    },
    ...person.map((field) => ({ ...field, isHidden })),
  ]
}
