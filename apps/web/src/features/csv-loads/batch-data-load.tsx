import { csvLoadLabels, csvLoadMessages, csvLoadRoutes, type LoadType, loadTypes } from '@lis/contract/csv-loads.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { formatProgress } from '../../lib/formats.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { SelectInput } from '../../ui/form/select-input.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DropZone } from '../../ui/upload/drop-zone.tsx'
import { ProgressBar, UploadList } from '../../ui/upload/upload-list.tsx'
import { useUploads } from '../../ui/upload/use-uploads.ts'
import { csvFileRules } from './csv-file-rules.ts'
import { DownloadButton } from './download-button.tsx'
import { PreviewErrors } from './preview-errors.tsx'
import { useLoad } from './use-load.ts'

const field: FieldDef = {
  name: 'loadFileTypeCode',
  label: csvLoadLabels.loadType,
  kind: 'select',
  isRequired: true,
  options: Object.entries(loadTypes).map(([value, label]) => ({ value, label })),
}

const Frame = styled('div')(({ theme }) => ({
  padding: '0 16px 12px',
  flex: 'none',
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))
const Parts = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '240px minmax(0, 1fr)',
  gap: 16,
  alignItems: 'start',
  [theme.breakpoints.down('sm')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
const Choice = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12, alignItems: 'stretch' })
const Progress = styled('p')({ display: 'flex', alignItems: 'center', gap: 8, color: 'var(--text)', marginTop: 12 })

/** 'Batch Data Load': the type, the file, and Process, which checks the whole file before any row is written. */
export const BatchDataLoad = () => {
  const [type, setType] = useState<LoadType | ''>('')
  const [isAsked, setAsked] = useState(false)
  // Uses the upload list only to show the chosen file; sending it is done here.
  const uploads = useUploads({ rules: csvFileRules, upload: async () => undefined })
  // Clears the file once it is loaded.
  const clear = () => {
    uploads.cancelAll()
    setAsked(false)
  }
  const load = useLoad(clear)
  const [file] = uploads.waiting
  const process = () => {
    setAsked(true)
    if (type !== '' && file) void load.start(type, file)
  }
  const restart = () => {
    load.reset()
    clear()
  }
  // The result applies to one file and type: another one must be checked first.
  const isCurrent = load.isAbout(type, file)
  const isBusy = load.step !== 'idle' && load.step !== 'checked'
  return (
    <Frame>
      <Card
        title="Batch Data Load"
        actions={
          <ActionButton variant="contained" isBusy={isBusy} onClick={process}>
            Process
          </ActionButton>
        }
      >
        <Parts>
          <Choice>
            <SelectInput
              field={field}
              value={type}
              disabled={isBusy}
              error={isAsked && type === '' ? messages.required(csvLoadLabels.loadType) : undefined}
              onChange={(value) => setType(value as LoadType)}
            />
            <DownloadButton route={csvLoadRoutes.template} params={{ loadFileTypeCode: type }} isDisabled={type === ''}>
              Download template
            </DownloadButton>
          </Choice>
          <div>
            <DropZone uploads={uploads} error={isAsked && !file ? messages.fileMissing : undefined} />
            <UploadList uploads={uploads} />
          </div>
        </Parts>
        {isBusy && <LoadProgress load={load} file={file} />}
        {load.step === 'checked' && load.preview && isCurrent && (
          <PreviewErrors preview={load.preview} onLoad={load.load} onCancel={restart} />
        )}
      </Card>
    </Frame>
  )
}

const LoadProgress = ({ load, file }: { load: ReturnType<typeof useLoad>; file: File | undefined }) => {
  const { step, job, preview, sentBytes } = load
  // The number of rows is known once the file has been checked.
  const total = step === 'loading' ? (preview?.totalCount ?? 0) : 0
  const done = job?.done ?? 0
  const isQueued = job?.state === 'QUEUED'
  const rows = job && !isQueued ? `, ${total > 0 ? `${done} of ${total}` : done} rows` : ''
  const working = step === 'checking' ? csvLoadMessages.checking : csvLoadMessages.started
  const text =
    step === 'sending'
      ? `Uploading ${file ? formatProgress(sentBytes, file.size) : ''}`
      : `${isQueued ? csvLoadMessages.waiting : working}${rows}`
  const [part, whole] = step === 'sending' ? [sentBytes, file?.size ?? 0] : [done, total]
  return (
    <>
      <Progress role="status">
        <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} />
        {text}
        {step === 'checking' && <Button onClick={load.cancelCheck}>Cancel</Button>}
      </Progress>
      {whole > 0 && <ProgressBar label="Batch Data Load" percent={Math.round((part / whole) * 100)} text={text} />}
    </>
  )
}
