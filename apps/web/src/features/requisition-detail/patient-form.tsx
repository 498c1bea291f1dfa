import { feetAndInches, type PatientHistory } from '@lis/contract/clinical-history.ts'
import { formatFilter } from '@lis/contract/kit/list-query.ts'
import type { Answers } from '@lis/contract/kit/questions.ts'
import {
  birthDateParts,
  formatBirthDate,
  type Patient,
  type PatientRow,
  patientMessages,
  patientRoutes,
} from '@lis/contract/patients.ts'
import {
  type PatientForm as FormData,
  patientForm,
  type RequisitionPatient,
  requisitionEditRoutes,
} from '@lis/contract/requisitions/edit.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { contactFieldDefs, historyFieldDefs, identityFieldDefs } from '../../domain/patient-fields.ts'
import { isPatientEdited, valuesOfPatient, WithSuggestions } from '../../domain/suggested-patients.tsx'
import { call } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'
import { sendWithQuestions } from '../../lib/questions.ts'
import { ifMatch, retryAfterSignIn } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { ConflictDialog } from '../../ui/form/conflict-dialog.tsx'
import { DraftOffers } from '../../ui/form/draft-offers.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { FormCard } from '../../ui/form/form-card.tsx'
import { FormFields } from '../../ui/form/form-fields.tsx'
import { useFocusFirstField } from '../../ui/form/form-focus.ts'
import { useFormKeys } from '../../ui/form/form-keys.ts'
import { useRecordForm } from '../../ui/form/use-record-form.ts'

const Form = styled('form')({ display: 'flex', flexDirection: 'column', gap: 12 })
const patientFields = [...identityFieldDefs, ...contactFieldDefs]
const patientNames = patientFields.map(({ name }) => name)
const historyNames = historyFieldDefs.map(({ name }) => name)
const fields = [...patientFields, ...historyFieldDefs]
/** Fields that identify a person, unlike an address. */
const identityNames = [
  'patientFirstName',
  'patientMiddleName',
  'patientLastName',
  'patientGenderCode',
  ...Object.keys(birthDateParts),
]

/** Fields that a new patient does not take from the other record: the masked number and the contact data for results. */
const personalNames = ['patientSsn', 'patientEmail', 'patientHomePhone', 'patientWorkPhone'] as const

const historyValues = (history: PatientHistory): Values => {
  const height = history.heightInches === null ? null : feetAndInches(history.heightInches)
  return { ...history, heightFeet: height?.feet ?? '', heightInches: height?.inches ?? '' }
}

/** What was typed when an update failed, and for which patient. */
export interface TypedPatient {
  values: Values
  /** The requisition's patient at that time. */
  patientId: number
  selected: PatientRow | null
  isNew: boolean
  draftId: string
}

interface PatientFormProps {
  requisitionId: number
  record: RequisitionPatient
  resume: TypedPatient | null
  /** It was opened from the history card. */
  startsAtHistory: boolean
  onCancel: () => void
  onSaved: (message: string) => void
  /** An update failed: edit mode ends, and the input is kept. */
  onFailed: (message: string, typed: TypedPatient) => void
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
  // The form must not change when the record is read again.
  const [{ patient, history }] = useState(given)
  const [resumed] = useState(() => resume && resumedFor(resume, patient))
  const [selected, setSelected] = useState<PatientRow | null>(resumed?.selected ?? null)
  const [isNew, setNew] = useState(resumed?.isNew ?? false)
  const updates = useUpdates(requisitionId, { patient, history }, selected, isNew)
  const form = useRecordForm({
    schema: patientForm,
    fields,
    values: { ...valuesOfPatient(patient), ...historyValues(history) },
    version: patient.version,
    // Only for the requisition's own patient: input for another person must never be offered as their draft.
    draftKey: selected || isNew ? undefined : `patient:${requisitionId}-${patient.id}`,
    draftId: resumed?.draftId,
    seenValues: () => selected && { ...valuesOfPatient(selected), ...historyValues(history) },
    onSubmit: async (data, { version }) => {
      const typed = { values: form.form.getValues(), patientId: patient.id, selected, isNew, draftId: form.draft.ownId }
      try {
        onSaved(await updates.send(data, version))
      } catch (error) {
        if (error instanceof ApiError && (error.isCancelled || (error.status === 409 && error.current))) throw error
        onFailed((error as Error).message, typed)
        throw error instanceof ApiError ? error : new ApiError((error as Error).message)
      }
    },
  })
  const keys = useFormKeys({ save: () => form.submit() })
  useFocusFirstField(form, startsAtHistory ? historyFieldDefs : patientFields)
  const values = useWatch({ control: form.form.control })
  const { change, draft, conflict } = form
  useResumed(resumed?.values ?? null, form)
  const select = (row: PatientRow) => {
    // Being saved for the chosen patient.
    if (form.isSending) return
    setSelected(row.id === patient.id ? null : row)
    const filled = valuesOfPatient(row)
    for (const name of patientNames) change(name, filled[name] ?? '')
    draft.discard()
  }
  const isEdited = isPatientEdited(selected, values, patientNames)
  const isRenamed = !selected && !isNew && isPatientEdited(patient, values, identityNames)
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
    <Form noValidate onSubmit={form.submit} aria-label="Patient Information and Patient History" {...keys}>
      <FormCard title="Patient Information" isEdit actions={actions}>
        <WithSuggestions
          values={values}
          selected={selected}
          ownId={patient.id}
          isEdited={isEdited}
          isNew={isNew}
          onSelect={select}
          onNew={(next) => {
            if (form.isSending) return
            setNew(next)
            if (next) setSelected(null)
            for (const name of personalNames) {
              if (next && values[name] === (selected ?? patient)[name]) change(name, '')
              if (!next && !values[name]) change(name, patient[name] ?? '')
            }
            // Last, or the cleared fields would become a draft of the requisition's patient.
            if (next) draft.discard()
          }}
        >
          <DraftOffers draft={draft} />
          {form.formErrors.map((message) => (
            <Banner key={message} type="error">
              {message}
            </Banner>
          ))}
          {updates.isHalfSaved && <Banner type="warning">{historyNotSavedMessage}</Banner>}
          {(selected || isNew) && !updates.isHalfSaved && (
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
          <FormFields form={form} fields={patientFields} values={values} columns={3} isLocked={form.isSending} />
        </WithSuggestions>
      </FormCard>
      <FormCard title="Patient History" isEdit actions={actions}>
        <FormFields form={form} fields={historyFieldDefs} values={values} columns={3} isLocked={form.isSending} />
      </FormCard>
      {conflict && (
        <ConflictDialog
          differences={conflict.differences}
          changedBy={conflict.changedBy}
          changedAt={conflict.changedAt}
          values={values}
          isBusy={form.isSending}
          onSave={(sides) => {
            updates.settle()
            conflict.resolve(sides)
          }}
          onCancel={conflict.cancel}
        />
      )}
    </Form>
  )
}

/** How many requisitions have this patient; 0 while not needed. */
const useRequisitionCount = (patientId: number, isAsked: boolean): number | 'unknown' => {
  const { data, isError } = useQuery({
    queryKey: [patientRoutes.list.path, 'count', patientId],
    queryFn: ({ signal }) =>
      call(patientRoutes.list, { query: { filter: formatFilter({ id: String(patientId) }) }, signal }),
    enabled: isAsked,
  })
  return isError ? 'unknown' : (data?.data[0]?.reqCount ?? 0)
}

/** Part of it may have been saved, or another user may have assigned another patient: then it is not resumed. */
const resumedFor = (
  { values, patientId, selected, isNew, draftId }: TypedPatient,
  { id }: Patient,
): Omit<TypedPatient, 'patientId'> => {
  if (id === patientId) return { values, selected, isNew, draftId }
  if (id === selected?.id) return { values, selected: null, isNew: false, draftId }
  return { values: pick(values, historyNames), selected: null, isNew: false, draftId }
}

/** Restores the input after a failed update. */
const useResumed = (resume: Values | null, { change }: Pick<ReturnType<typeof useRecordForm>, 'change'>) => {
  const newest = useRef(change)
  newest.current = change
  useEffect(() => {
    for (const [name, value] of Object.entries(resume ?? {})) newest.current(name, value)
  }, [resume])
}

const historyNotSavedMessage = 'The patient is saved; the history is not.'

/** Both updates in sequence, each with the version that the user has seen; the second is not sent if the first fails. */
const useUpdates = (
  id: number,
  { patient, history }: Omit<RequisitionPatient, 'kept'>,
  selected: PatientRow | null,
  isNew: boolean,
) => {
  // What is known from earlier tries of this form, by patient: the user may choose another one in between.
  const patientVersions = useRef(new Map<number, number>())
  const historyVersion = useRef(history.version)
  const createdPatient = useRef<number | null>(null)
  /** The requisition's patient. */
  const currentPatientId = useRef(patient.id)
  const conflicting = useRef<{ patientId: number | null; version: number } | null>(null)
  const [isHistoryUnsaved, setHistoryUnsaved] = useState(false)
  const client = useQueryClient()
  /** The user has seen the other version and decided: the next save overwrites it. */
  const settle = () => {
    const { current: open } = conflicting
    if (open?.patientId === null) historyVersion.current = open.version
    else if (open) patientVersions.current.set(open.patientId, open.version)
    conflicting.current = null
  }
  /** `seen` is older than the record if a resumed draft was based on an older version. */
  const send = async (data: FormData, seen: number | undefined): Promise<string> => {
    const seenOf = (patientId: number) =>
      patientVersions.current.get(patientId) ?? selected?.version ?? Math.min(patient.version, seen ?? patient.version)
    const guarded = async <T,>(patientId: number | null, send: (answers?: Answers) => Promise<T>): Promise<T> => {
      try {
        return await sendWithQuestions((answers) => retryAfterSignIn(() => send(answers)))
      } catch (error) {
        throw toConflict(error, patientId === null ? 'history' : 'patient', (version) => {
          conflicting.current = { patientId, version }
        })
      }
    }
    const isMaking = isNew && createdPatient.current === null
    const target = selected?.id ?? createdPatient.current ?? (isNew ? currentPatientId.current : patient.id)
    const isNewPatient: 0 | 1 = isMaking ? 1 : 0
    const body = { ...patientPart(data), isNewPatient, seenPatientId: currentPatientId.current }
    const { data: saved, message } = await guarded(target, (answers) =>
      call(requisitionEditRoutes.updatePatient, {
        params: { id, patientId: target },
        body: { ...body, ...(answers && { answers }) } as typeof body,
        headers: ifMatch(seenOf(target)),
      }),
    )
    currentPatientId.current = saved.id
    patientVersions.current.set(saved.id, saved.version)
    // The answer 'Another person' has assigned the requisition to another patient.
    if (isNew || saved.id !== target) createdPatient.current = saved.id
    // Whatever happens to the history: the requisition may have another patient now, and the page must show it.
    void client.invalidateQueries()
    try {
      const reply = await guarded(null, () =>
        call(requisitionEditRoutes.updateHistory, {
          params: { id, histId: history.id },
          body: historyPart(data),
          headers: ifMatch(historyVersion.current),
        }),
      )
      // A partner must be told that the change waits for the laboratory.
      return message === patientMessages.forReview ? message : reply.message
    } catch (error) {
      setHistoryUnsaved(true)
      throw withHistoryNotSaved(error)
    }
  }
  return { send, settle, isHalfSaved: isHistoryUnsaved }
}

/** A conflict is shown in the form; any other failure closes the form, and is announced. */
const withHistoryNotSaved = (error: unknown) => {
  if (!(error instanceof ApiError)) return error
  const { status, errors, current, isCancelled, message } = error
  if (current || isCancelled) return error
  return new ApiError(`${historyNotSavedMessage} ${message}`, { status, errors: [...errors], cause: error })
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
  patientDob: formatBirthDate(data),
})
const historyPart = (data: FormData) => pick(data, historyNames)
