import { printFilter } from '@lis/contract/kit/list-query.ts'
import { feetAndInches, type PatientHistory } from '@lis/contract/patient-history.ts'
import {
  birthParts,
  isMaskedSsn,
  type Patient,
  type PatientRow,
  patientRoutes,
  printBirthDay,
} from '@lis/contract/patients.ts'
import {
  type PatientForm as FormData,
  patientForm,
  type RequisitionPatient,
  requisitionEditRoutes,
} from '@lis/contract/requisitions/edit.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { contactFieldDefs, historyFieldDefs, identityFieldDefs } from '../../domain/patient-fields.ts'
import { isPatientEdited, valuesOfPatient, WithSuggestions } from '../../domain/suggested-patients.tsx'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { ifMatch, withNewSession } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { ConflictDialog } from '../../ui/form/conflict-dialog.tsx'
import { DraftOffer } from '../../ui/form/draft-offer.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { FormCard } from '../../ui/form/form-card.tsx'
import { FormFields } from '../../ui/form/form-fields.tsx'
import { useFocusOnFirst } from '../../ui/form/form-focus.ts'
import { useRecordForm } from '../../ui/form/use-record-form.ts'

const Form = styled('form')({ display: 'flex', flexDirection: 'column', gap: 12 })
const patientFields = [...identityFieldDefs, ...contactFieldDefs]
const patientNames = patientFields.map(({ name }) => name)
const fields = [...patientFields, ...historyFieldDefs]
/** What makes somebody another person, where an address does not. */
const whoItIs = [
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientGenderCode',
  ...Object.keys(birthParts),
]

const historyValues = (history: PatientHistory): Values => {
  const height = history.heightInches === null ? null : feetAndInches(history.heightInches)
  return { ...history, heightFeet: height?.feet ?? '', heightInches: height?.inches ?? '' }
}

interface PatientFormProps {
  requisitionId: number
  record: RequisitionPatient
  /** What was typed when an update failed. */
  resume: Values | null
  /** It was opened from the card of the history. */
  startsAtHistory: boolean
  onCancel: () => void
  onSaved: (message: string) => void
  /** An update failed: edit mode ends, and what was typed is kept. */
  onFailed: (message: string, typed: Values) => void
}

/** Patient Information and Patient History in edit mode: two cards, one form; either Save runs both updates. */
export const PatientForm = ({
  requisitionId,
  record: given,
  resume,
  startsAtHistory,
  onCancel,
  onSaved,
  onFailed,
}: PatientFormProps) => {
  // What is typed must not change under the hands when the record is read again.
  const [{ patient, history }] = useState(given)
  const [selected, setSelected] = useState<PatientRow | null>(null)
  const [isNew, setNew] = useState(false)
  const updates = useUpdates(requisitionId, { patient, history }, selected, isNew)
  const form = useRecordForm({
    schema: patientForm,
    fields,
    values: { ...valuesOfPatient(patient), ...historyValues(history) },
    draftKey: `patient:${requisitionId}`,
    seenValues: () => selected && { ...valuesOfPatient(selected), ...historyValues(history) },
    onSubmit: async (data, { version }) => {
      try {
        onSaved(await updates(data, version))
      } catch (error) {
        if (error instanceof ApiError && (error.isCancelled || (error.status === 409 && error.current))) throw error
        onFailed((error as Error).message, form.form.getValues())
        throw error instanceof ApiError ? error : new ApiError((error as Error).message)
      }
    },
  })
  useFocusOnFirst(form, startsAtHistory ? historyFieldDefs : patientFields)
  const values = useWatch({ control: form.form.control })
  const { change, draft, conflict } = form
  useResumed(resume, form)
  const select = (row: PatientRow) => {
    setSelected(row.id === patient.id ? null : row)
    const filled = valuesOfPatient(row)
    for (const name of patientNames) change(name, filled[name] ?? '')
  }
  const isEdited = isPatientEdited(selected, values, patientNames)
  const isRenamed = !selected && !isNew && isPatientEdited(patient, values, whoItIs)
  const sharedBy = useRequisitionCount(patient.id, isRenamed)
  const actions = (
    <>
      <Button onClick={onCancel}>Cancel</Button>
      <ActionButton type="submit" variant="contained" color="primary" isBusy={form.isSending}>
        Save
      </ActionButton>
    </>
  )
  return (
    <Form noValidate onSubmit={form.submit} aria-label="Patient Information and Patient History">
      <FormCard title="Patient Information" isEdit actions={actions}>
        <WithSuggestions
          values={values}
          selected={selected}
          ownId={patient.id}
          isEdited={isEdited}
          isNew={isNew}
          onSelect={select}
          onNew={(next) => {
            setNew(next)
            if (next) setSelected(null)
            // A new patient has no number yet: the digits behind the dots are known to the other record alone.
            if (next && isMaskedSsn(values.patientSsn)) change('patientSsn', '')
            if (!next && !values.patientSsn) change('patientSsn', patient.patientSsn ?? '')
          }}
        >
          {draft.offer && !resume && (
            <DraftOffer typedAt={draft.offer.updateDate} onResume={draft.resume} onDiscard={draft.discard} />
          )}
          {form.others.map((message) => (
            <Banner key={message} type="error">
              {message}
            </Banner>
          ))}
          {(selected || isNew) && (
            <Banner type="warning">
              {isNew
                ? 'Saving makes a new patient and gives this requisition to them.'
                : `Saving gives this requisition to ${selected?.patientLastName}, ${selected?.patientFirstName}${isEdited ? ', and changes their record' : ''}.`}
            </Banner>
          )}
          {isRenamed && (sharedBy === 'unknown' || sharedBy > 1) && (
            <Banner type="warning">
              {`${sharedBy === 'unknown' ? 'This patient may have other requisitions' : `This patient has ${sharedBy} requisitions`}, and the change will show on all of them. If this one belongs to somebody else, choose them among the suggested patients or tick New Patient.`}
            </Banner>
          )}
          <FormFields form={form} fields={patientFields} values={values} columns={3} />
        </WithSuggestions>
      </FormCard>
      <FormCard title="Patient History" isEdit actions={actions}>
        <FormFields form={form} fields={historyFieldDefs} values={values} columns={3} />
      </FormCard>
      {conflict && (
        <ConflictDialog
          differences={conflict.differences}
          who={conflict.who}
          at={conflict.at}
          values={values}
          isBusy={form.isSending}
          onSave={conflict.settle}
          onCancel={conflict.cancel}
        />
      )}
    </Form>
  )
}

/** How many requisitions show this patient; 0 while nobody needs to know. */
const useRequisitionCount = (patientId: number, isAsked: boolean): number | 'unknown' => {
  const { data, isError } = useQuery({
    queryKey: [patientRoutes.list.path, 'count', patientId],
    queryFn: ({ signal }) =>
      call(patientRoutes.list, { query: { filter: printFilter({ id: String(patientId) }) }, signal }),
    enabled: isAsked,
  })
  return isError ? 'unknown' : (data?.data[0]?.reqCount ?? 0)
}

/** Puts back what was typed before an update failed. */
const useResumed = (
  resume: Values | null,
  { change, draft }: Pick<ReturnType<typeof useRecordForm>, 'change' | 'draft'>,
) => {
  const newest = useRef({ change, draft })
  newest.current = { change, draft }
  useEffect(() => {
    for (const [name, value] of Object.entries(resume ?? {})) newest.current.change(name, value)
  }, [resume])
  const isOffered = draft.offer !== null
  useEffect(() => {
    if (resume && isOffered) newest.current.draft.resume()
  }, [resume, isOffered])
}

/** Both updates one after the other, each with the version that the person has seen; the second is not sent when the first fails. */
const useUpdates = (
  id: number,
  { patient, history }: RequisitionPatient,
  selected: PatientRow | null,
  isNew: boolean,
) => {
  const versions = useRef({ patient: patient.version, history: history.version })
  const contested = useRef<{ part: 'patient' | 'history'; version: number } | null>(null)
  const savedPatient = useRef<number | null>(null)
  return async (data: FormData, settled: number | undefined): Promise<string> => {
    const { current: open } = contested
    if (open && settled === open.version) versions.current[open.part] = open.version
    const guarded = async <T,>(part: 'patient' | 'history', send: () => Promise<T>): Promise<T> => {
      try {
        return await withNewSession(send)
      } catch (error) {
        throw toConflict(error, part, (version) => {
          contested.current = { part, version }
        })
      }
    }
    const target = savedPatient.current ?? selected?.id ?? patient.id
    const version = selected && savedPatient.current === null && !open ? selected.version : versions.current.patient
    const { data: saved } = await guarded('patient', () =>
      call(requisitionEditRoutes.updatePatient, {
        params: { id, patientId: target },
        body: { ...patientPart(data), isNewPatient: isNew && savedPatient.current === null ? 1 : 0 },
        headers: ifMatch(version),
      }),
    )
    savedPatient.current = saved.id
    versions.current.patient = saved.version
    const reply = await guarded('history', () =>
      call(requisitionEditRoutes.updateHistory, {
        params: { id, histId: history.id },
        body: historyPart(data),
        headers: ifMatch(versions.current.history),
      }),
    )
    return reply.message
  }
}

const toConflict = (error: unknown, part: 'patient' | 'history', note: (version: number) => void) => {
  if (!(error instanceof ApiError) || error.status !== 409 || !error.current) return error
  const theirs = error.current as Patient & PatientHistory
  note(theirs.version)
  const current = part === 'patient' ? valuesOfPatient(theirs) : historyValues(theirs)
  return new ApiError(error.message, {
    status: 409,
    current: { ...theirs, ...current },
  })
}

const pick = (data: Values, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => data[name] !== undefined).map((name) => [name, data[name]]))

const patientPart = (data: FormData) => ({
  ...pick(
    data,
    patientNames.filter((name) => !name.startsWith('patientDob')),
  ),
  patientDob: printBirthDay(data),
})
const historyPart = (data: FormData) =>
  pick(
    data,
    historyFieldDefs.map(({ name }) => name),
  )
