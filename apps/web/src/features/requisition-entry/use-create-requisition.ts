import { documentRoutes } from '@lis/contract/documents.ts'
import type { Answers, Question } from '@lis/contract/kit/questions.ts'
import { messages } from '@lis/contract/messages.ts'
import { formatBirthDate, type Patient, type PatientRow, samePatientQuestion } from '@lis/contract/patients.ts'
import { combineCollected } from '@lis/contract/requisitions/collected.ts'
import { type RequisitionForm as FormData, requisitionCreateRoutes } from '@lis/contract/requisitions/create.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { useNavigate } from 'react-router'
import { chosenTests } from '../../domain/chosen-tests.ts'
import { unsentFiles } from '../../domain/documents/unsent-files.ts'
import { withoutCollectedParts } from '../../domain/patient-fields.ts'
import { valuesOfPatient } from '../../domain/suggested-patients.tsx'
import { call } from '../../lib/api.ts'
import { ApiError, renameErrorFields } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { sendToStorage, type UploadContext } from '../../lib/send-to-storage.ts'
import { useSave } from '../../lib/use-save.ts'
import { useNotify } from '../../ui/notices.tsx'
import { documentRules } from '../../ui/upload/file-rules.ts'
import type { Upload } from '../../ui/upload/uploads.ts'
import { useUploads } from '../../ui/upload/use-uploads.ts'

interface Chosen {
  selected: PatientRow | null
  isEdited: boolean
  isNew: boolean
  /** The version in view when a conflict about the chosen patient was resolved. */
  resolvedVersion: number | undefined
  /** The form stays for the next order. */
  isNext: boolean
}

interface CreationOptions {
  onExistingPatient: (patient: PatientRow) => void
  /** The order is created, though its scan may still be uploading. */
  onCreated: () => void
}

/** Sends the order, uploads the scan, and opens the new requisition whether or not the upload succeeded. */
export const useCreateRequisition = ({ onExistingPatient, onCreated }: CreationOptions) => {
  const sent = useRef<Body | null>(null)
  /** A known patient whose record lacks what was typed: the form shows the difference, marked 'Edited', before it is sent. */
  const isForForm = useCallback(
    (answers: Answers, questions: readonly Question[]) => {
      const asked = questions.find(({ code }) => code === samePatientQuestion)
      const known = (asked?.duplicates as PatientRow[] | undefined)?.find(
        ({ id }) => String(id) === answers[samePatientQuestion],
      )
      if (!known || !sent.current || !hasMoreThan(sent.current, known)) return false
      onExistingPatient(known)
      return true
    },
    [onExistingPatient],
  )
  const create = useSave(requisitionCreateRoutes.create, { isForForm })
  const createSilently = useSave(requisitionCreateRoutes.create, { isForForm, isSilent: true })
  const client = useQueryClient()
  const navigate = useNavigate()
  const notify = useNotify()
  const target = useRef(0)
  /** The chosen patient, whose record another user has changed meanwhile. */
  const conflicting = useRef({ id: 0, version: 0 })
  const upload = useUploads({
    rules: documentRules,
    upload: (file, context) => sendScan(target.current, file, context),
  })
  const save = async (data: FormData, { selected, isEdited, isNew, resolvedVersion, isNext }: Chosen) => {
    // Read when the client was chosen; it may still be loading.
    const presets = await client.fetchQuery(
      read(requisitionCreateRoutes.presets, { query: { clientId: data.clientId } }),
    )
    const zone = presets.data.clientTz
    const collected = combineCollected(data, zone)
    if ('error' in collected) {
      notify.error(collected.error)
      throw new ApiError(collected.error, {
        status: 400,
        errors: [{ field: 'dateCollectedDate', message: collected.error }],
      })
    }
    const isResolved = ({ id }: PatientRow) =>
      conflicting.current.id === id && conflicting.current.version === resolvedVersion
    const { patientDobMonth: _, patientDobDate: __, patientDobYear: ___, tests, ...rest } = data
    const body = {
      ...withoutCollectedParts(rest),
      ...chosenTests(tests),
      patientDob: formatBirthDate(data),
      dateCollected: collected.instant,
      ...(selected && {
        patientId: selected.id,
        isPatientEdited: isEdited ? (1 as const) : (0 as const),
        patientVersion: isResolved(selected) ? resolvedVersion : selected.version,
      }),
      isNewPatient: isNew ? (1 as const) : (0 as const),
    }
    sent.current = body
    const { data: made, message } = await (isNext ? createSilently : create)({ body }).catch((error) => {
      const theirs = changedPatient(error)
      if (!theirs) throw renameErrorFields(error, formNames)
      conflicting.current = { id: theirs.id, version: theirs.version }
      throw new ApiError(error.message, { status: 409, current: valuesOfPatient(theirs) })
    })
    const { id } = made
    onCreated()
    target.current = id
    const failed = await sendFiles(upload)
    if (isNext) {
      upload.cancelAll()
      notify.info(`Requisition #${id}: ${message}`)
    } else navigate(`/requisitions/${id}/show`, { replace: true })
    if (failed) announceFailed(id, failed.file, failed.message)
  }
  /** The file is kept in its section, and the notice can send it again too (CREATE-G13). */
  const announceFailed = (id: number, file: File, reason: string = messages.storageFailed) => {
    unsentFiles.keep({ requisitionId: id, type: 'SCANREQ', file, reason })
    notify.error(`${file.name} was not uploaded: ${reason}`, {
      action: { label: 'Upload again', run: () => void sendAgain(id, file) },
    })
  }
  const sendAgain = async (id: number, file: File) => {
    // It may have been sent or discarded in its section meanwhile.
    if (!unsentFiles.take(file)) return
    try {
      await sendScan(id, file, { signal: new AbortController().signal, onProgress: () => undefined })
      notify.info(messages.uploaded)
      void client.invalidateQueries()
    } catch (error) {
      announceFailed(id, file, (error as Error).message)
    }
  }
  return { upload, save }
}

const formNames = {
  dateCollected: 'dateCollectedDate',
  patientDob: 'patientDobDate',
  colaId: 'collaborator',
  testIds: 'tests',
  panelIds: 'tests',
}

type Body = Parameters<ReturnType<typeof useSave<typeof requisitionCreateRoutes.create>>>[0]['body']

/** Whether the input contains more than the chosen record: then the form is shown first, marked 'Edited'. */
const hasMoreThan = (body: Body, choice: PatientRow) =>
  Boolean(body.patientSsn) ||
  body.patientGenderCode !== choice.patientGenderCode ||
  (Boolean(body.patientMiddleName) && body.patientMiddleName !== choice.patientMiddleName) ||
  (Boolean(body.patientRaceCode) && body.patientRaceCode !== choice.patientRaceCode) ||
  (!isUnset(body.patientEthnicityCode) && body.patientEthnicityCode !== choice.patientEthnicityCode)

/** Empty, or the form's initial value. */
export const isUnset = (value: unknown) => ['', 'NA', null, undefined].some((none) => none === value)

const changedPatient = (error: unknown): Patient | undefined =>
  error instanceof ApiError && error.status === 409 && typeof error.current === 'object' && error.current
    ? (error.current as Patient)
    : undefined

const sendScan = async (id: number, file: File, context: UploadContext) => {
  const params = { id }
  const { data } = await call(documentRoutes.upload, {
    params,
    body: { fileName: file.name, docTypeCode: 'SCANREQ' },
    signal: context.signal,
  })
  await sendToStorage(data, file, { ...context, isSilent: true })
  await call(documentRoutes.SCANREQ, { params, body: { originalFileName: file.name, fileName: data.newFileName } })
}

/** Waits until the scan is uploaded or has failed, and returns the failed one: it does not prevent opening the requisition (CREATE-88). */
const sendFiles = async (files: ReturnType<typeof useUploads>): Promise<Upload | undefined> => {
  // The current files, not those at the time of the click: a scan may have been removed since.
  if (!files.get().some(({ status }) => status === 'waiting')) return undefined
  const outcome = new Promise<Upload | undefined>((resolve) => {
    const check = () => {
      const list = files.get()
      if (list.some(({ status }) => status === 'waiting' || status === 'sending' || status === 'saving')) return
      stop()
      resolve(list.find(({ status }) => status === 'failed'))
    }
    const stop = files.subscribe(check)
  })
  files.start()
  return outcome
}
