import { can } from '@lis/contract/access/permissions.ts'
import {
  type BatchType,
  batchFileLabels,
  batchFileRoutes,
  batchTypes,
  type FileSlot,
  maxBatchFiles,
  maxUploadBytes,
} from '@lis/contract/batch-files.ts'
import { messages } from '@lis/contract/messages.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../lib/api.ts'
import { sendToStorage, type UploadContext } from '../../lib/send-to-storage.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { SelectInput } from '../../ui/form/select-input.tsx'
import { useNotify } from '../../ui/notices.tsx'
import type { FileRules } from '../../ui/upload/file-rules.ts'
import { UploadDialog } from '../../ui/upload/upload-dialog.tsx'

/** The server checks the content; this only avoids useless uploads. */
const rulesFor = (type: BatchType | ''): FileRules => ({
  kinds: type === 'REPORT' ? ['PDF'] : ['PDF', 'PNG', 'JPEG', 'TIFF'],
  maxBytes: maxUploadBytes,
  maxFiles: maxBatchFiles,
  isNameUnique: true,
})

interface Sent {
  uploadId: number
  slot: FileSlot
  /** Number of attempts: a slot accepts one file once. */
  attempts: number
}

/** Choose the type, drop the files, watch each of them. A failed file does not stop the others. */
export const UploadBatchDialog = ({ onClose }: { onClose: () => void }) => {
  const role = useRole()
  const client = useQueryClient()
  const [type, setType] = useState<BatchType | ''>('')
  const [error, setError] = useState<string>()
  const slots = useRef(new Map<File, Sent>())
  const sentCount = useRef(0)
  const notify = useNotify()
  const init = useSave(batchFileRoutes.init, { invalidates: [], failure: 'error', isSilent: true })
  const field: FieldDef = {
    name: 'batchTypeCode',
    label: batchFileLabels.batchTypeCode,
    kind: 'select',
    isRequired: true,
    options: Object.entries(batchTypes)
      .filter(([code]) => code === 'SCANREQ' || can(role, 'batchFiles.upload'))
      .map(([value, label]) => ({ value, label })),
  }
  const open = async (files: readonly File[]) => {
    if (type === '') {
      setError(messages.required(batchFileLabels.batchTypeCode))
      return false
    }
    const { data } = await init({ body: { fileNames: files.map(({ name }) => name), batchTypeCode: type } })
    data.files.forEach((slot, index) => {
      slots.current.set(files[index] as File, { uploadId: data.id, slot, attempts: 0 })
    })
    return true
  }
  const upload = async (file: File, context: UploadContext) => {
    // Files dropped while others are being sent start a separate batch.
    if (!slots.current.has(file)) await open([file])
    const sent = slots.current.get(file) as Sent
    await sendFile(sent, file, context)
    await call(batchFileRoutes.finish, {
      params: { id: sent.uploadId, fileId: sent.slot.id },
      body: { batchTypeCode: type as BatchType },
      signal: context.signal,
    })
    sentCount.current++
  }
  const close = () => {
    onClose()
    // Whether a file can be filed is determined later, and shown in the list.
    if (sentCount.current > 0) notify.info(`${sentCount.current} file(s) sent; the list shows what became of each`)
    client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('bulk_report_uploader') })
  }
  return (
    <UploadDialog
      title="Upload"
      rules={rulesFor(type)}
      before={
        <SelectInput
          field={field}
          value={type}
          error={error}
          onChange={(value) => {
            setType(value as BatchType)
            setError(undefined)
          }}
        />
      }
      onStart={open}
      upload={upload}
      onClose={close}
    />
  )
}

/** A retry, or a start after a long pause, needs a new slot: the first may be used or expired. */
const sendFile = async (sent: Sent, file: File, context: UploadContext) => {
  if (sent.attempts++ > 0) {
    const { data } = await call(batchFileRoutes.slot, { params: { id: sent.uploadId, fileId: sent.slot.id } })
    sent.slot = data
  }
  await sendToStorage(sent.slot, file, context)
}
