import { can } from '@lis/contract/access/permissions.ts'
import { messages } from '@lis/contract/messages.ts'
import { isMaskedSsn, type PatientRow } from '@lis/contract/patients.ts'
import type { ScanField } from '@lis/contract/requisition-scans.ts'
import { collectedInstants } from '@lis/contract/requisitions/collected.ts'
import {
  type RequisitionForm as FormData,
  type RequisitionPresets,
  requisitionCreateRoutes,
  requisitionForm,
} from '@lis/contract/requisitions/create.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { identityFieldDefs, newHistoryFieldDefs } from '../../domain/patient-fields.ts'
import { isPatientEdited, valuesOfPatient, WithSuggestions } from '../../domain/suggested-patients.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { ConflictDialog } from '../../ui/form/conflict-dialog.tsx'
import { DraftOffers } from '../../ui/form/draft-offers.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { FormFields } from '../../ui/form/form-fields.tsx'
import { useFocusFirstField } from '../../ui/form/form-focus.ts'
import { useFormKeys } from '../../ui/form/form-keys.ts'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { useNotify } from '../../ui/notices.tsx'
import { DropZone } from '../../ui/upload/drop-zone.tsx'
import { UploadList } from '../../ui/upload/upload-list.tsx'
import { ChosenTests } from './chosen-tests.tsx'
import { orderFields, specimenFields, testField } from './requisition-fields.ts'
import { ScanReader } from './scan-reader.tsx'
import { specimensField } from './specimens-field.tsx'
import { valuesOfScan } from './take-from-scan.ts'
import { isUnset, useCreateRequisition } from './use-create-requisition.ts'

const Form = styled('form')({
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  // A focused field is not behind the buttons.
  '& input, & textarea, & button, & [role=combobox]': { scrollMarginBottom: 60 },
})
// In view however long the order is.
const Foot = styled('div')({
  position: 'sticky',
  bottom: 0,
  zIndex: 3,
  display: 'flex',
  justifyContent: 'flex-end',
  gap: 8,
  padding: '8px 0',
  background: 'var(--bg)',
})

const identityNames = identityFieldDefs.map(({ name }) => name)

/** The whole order on one page; the chosen client determines the options of other fields. */
export const RequisitionForm = ({ company }: { company: RequisitionPresets }) => {
  const [clientId, setClientId] = useState<number | undefined>(undefined)
  const ofClient = useQuery({
    ...read(requisitionCreateRoutes.presets, { query: { clientId } }),
    enabled: clientId !== undefined,
  }).data?.data
  const zone = clientId === undefined ? null : (ofClient?.clientTz ?? null)
  const hasClient = clientId !== undefined
  const maySpecimens = can(useRole(), 'specimens.add')
  const isFixed = company.isColaFixed === 1
  const [collectedAt, setCollectedAt] = useState<string | undefined>(undefined)
  const orderables = useQuery(read(requisitionCreateRoutes.tests)).data?.data
  const fields = useMemo(
    () => ({
      order: orderFields(isFixed, hasClient),
      specimen: specimenFields(zone, collectedAt),
      tests: [testField(orderables ?? []), specimensField],
    }),
    [isFixed, hasClient, zone, collectedAt, orderables],
  )
  const all = useMemo(
    () => [...fields.order, ...identityFieldDefs, ...fields.specimen, ...fields.tests, ...newHistoryFieldDefs],
    [fields],
  )
  const [selected, setSelected] = useState<PatientRow | null>(null)
  const [isNew, setNew] = useState(false)
  /** The record fills in the identity; fields that it lacks, or that differ, stay as typed. */
  const adopt = (patient: PatientRow) => {
    setSelected(patient)
    const filled = valuesOfPatient(patient)
    for (const name of identityNames) {
      const isWho = /^patient(First|Last|Dob)/.test(name)
      if (isWho || isUnset(record.form.getValues(name))) record.change(name, filled[name] ?? '')
    }
  }
  const { upload, save } = useCreateRequisition({
    onExistingPatient: adopt,
    // A reload during the upload must not offer the same order as a draft.
    onCreated: () => record.draft.discard(),
  })
  const send = async (data: FormData, { version }: { version: number | undefined }) => {
    const edited = isPatientEdited(selected, record.form.getValues(), identityNames)
    const isNext = isForNext.current
    await save(data, { selected: isNew ? null : selected, isEdited: edited, isNew, resolvedVersion: version, isNext })
    if (!isNext) return
    setSelected(null)
    setNew(false)
  }
  const isForNext = useRef(false)
  const record = useRecordForm({
    schema: requisitionForm,
    fields: all,
    onSubmit: send,
    draftKey: 'requisition',
    // A draft contains the input; the patient is chosen again.
    onResume: (isOverTyped) => {
      setSelected(null)
      setNew(false)
      // The scan belongs to the order that was typed.
      if (isOverTyped) upload.cancelAll()
    },
    seenValues: () => selected && valuesOfPatient(selected),
    nextValues: (): Values | null => (isForNext.current ? keptForNext(record.form.getValues()) : null),
  })
  useFocusFirstField(record, fields.order)
  const frame = useRef<HTMLFormElement>(null)
  const submit = async (isNext: boolean) => {
    isForNext.current = isNext
    await record.submit()
    // Saved: an order that was refused keeps its patient.
    if (isNext && record.form.getValues('patientLastName') === '')
      frame.current?.querySelector<HTMLElement>('[name=patientFirstName]')?.focus()
  }
  const keys = useFormKeys({ save: () => submit(false), saveAndNext: () => submit(true) })
  const values = useWatch({ control: record.form.control })
  const { change } = record
  useEffect(() => setCollectedAt(collectedInstants(values, zone)[0]), [values, zone])
  useEffect(() => setClientId(values.clientId ? Number(values.clientId) : undefined), [values.clientId])
  usePresets(record, clientId, hasClient ? ofClient : company)

  const select = (patient: PatientRow) => {
    setSelected(patient)
    const filled = valuesOfPatient(patient)
    for (const name of identityNames) change(name, filled[name] ?? '')
  }
  const notify = useNotify()
  const take = async (field: ScanField) => {
    const found = await valuesOfScan(field, { values: record.form.getValues(), orderables: orderables ?? [] })
    if ('fault' in found) return notify.warning(String(found.fault))
    for (const [name, value] of Object.entries(found)) change(name, value)
  }
  const isEdited = isPatientEdited(selected, values, identityNames)
  return (
    <Form
      ref={frame}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit(false)
      }}
      aria-label="Add Requisition"
      {...keys}
    >
      <DraftOffers draft={record.draft} files={upload.waiting} />
      {record.formErrors.map((message) => (
        <Banner key={message} type="error">
          {message}
        </Banner>
      ))}
      <Card title="Ordering Physician">
        {zone === 'TZNA' && <Banner type="warning">{messages.clientTimezoneMissing}</Banner>}
        <FormFields form={record} fields={fields.order} values={values} columns={3} isLocked={record.isSending} />
      </Card>
      <Card title="Create Patient">
        <WithSuggestions
          values={values}
          selected={isNew ? null : selected}
          isEdited={isEdited}
          isNew={isNew}
          onSelect={select}
          onNew={(next) => {
            setNew(next)
            if (next) setSelected(null)
            // Only the other record has the masked number.
            if (next && isMaskedSsn(values.patientSsn)) change('patientSsn', '')
          }}
        >
          {selected && isEdited && !isNew && (
            <Banner type="warning">
              Edited: creating the requisition also changes the record of {selected.patientLastName},{' '}
              {selected.patientFirstName}.
            </Banner>
          )}
          <FormFields
            form={record}
            fields={identityFieldDefs}
            values={values}
            columns={3}
            isLocked={record.isSending}
          />
        </WithSuggestions>
      </Card>
      <Card title="Specimen Information">
        <FormFields form={record} fields={fields.specimen} values={values} columns={3} isLocked={record.isSending} />
      </Card>
      <Card title="Tests">
        <FormFields
          form={record}
          fields={fields.tests.slice(0, 1)}
          values={values}
          columns={3}
          isLocked={record.isSending}
        />
        <ChosenTests keys={(values.tests ?? []) as string[]} orderables={orderables ?? []} />
      </Card>
      {maySpecimens && (
        <Card title="Specimens">
          <FormFields
            form={record}
            fields={fields.tests.slice(1)}
            values={values}
            columns={3}
            isLocked={record.isSending}
          />
        </Card>
      )}
      <Card title="Patient History">
        <FormFields
          form={record}
          fields={newHistoryFieldDefs}
          values={values}
          columns={3}
          isLocked={record.isSending}
        />
      </Card>
      <Card title="Scanned Requisition">
        <DropZone uploads={upload} />
        <UploadList uploads={upload} />
      </Card>
      <ScanReader file={upload.waiting[0]} onTake={(field) => void take(field)} />
      <Foot>
        <Button title="Ctrl+Shift+Enter" disabled={record.isSending} onClick={() => void submit(true)}>
          Save and next
        </Button>
        <ActionButton type="submit" variant="contained" color="primary" isBusy={record.isSending}>
          Create
        </ActionButton>
      </Foot>
      {record.conflict && (
        <ConflictDialog
          differences={record.conflict.differences}
          changedBy={record.conflict.changedBy}
          changedAt={record.conflict.changedAt}
          values={values}
          isBusy={record.isSending}
          onSave={record.conflict.resolve}
          onCancel={record.conflict.cancel}
        />
      )}
    </Form>
  )
}

/** What the next order of a pile has in common with the one before. */
const keptForNext = (values: Values): Values => {
  const names = ['clientId', 'collaborator', 'labId', 'orderingClientPhysId', 'eventId', ...collectedDay]
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}
const collectedDay = ['dateCollectedMonth', 'dateCollectedDate', 'dateCollectedYear']

/** Applies the company's presets at once, and a client's when it is chosen and they are loaded; the user's choices stay. */
const usePresets = (
  { form, draft: { resumes } }: Pick<ReturnType<typeof useRecordForm>, 'form' | 'draft'>,
  clientId: number | undefined,
  presets: RequisitionPresets | undefined,
) => {
  const preset = useRef<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft that was resumed is a reason, it may leave some of them empty
  useEffect(() => {
    // A draft may have set another client at the same moment.
    if (!presets || Number(form.getValues('clientId') || 0) !== (clientId ?? 0)) return
    const { labId, colaId, eventId } = presets
    const fill = (name: string, value: number | null, isOpen: boolean) => {
      if (value !== null && isOpen) form.setValue(name, value)
    }
    const isEmpty = (name: string) => (form.getValues(name) ?? '') === ''
    fill('collaborator', colaId, isEmpty('collaborator') || form.getValues('collaborator') === preset.current)
    preset.current = colaId
    fill('labId', labId, isEmpty('labId'))
    fill('eventId', eventId, isEmpty('eventId'))
  }, [presets, clientId, form, resumes])
}
