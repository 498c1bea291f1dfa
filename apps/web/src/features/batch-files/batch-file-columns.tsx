import {
  batchFileLabels,
  fileStatusTone,
  type ReportUpload,
  reuploadHint,
  type UploadedFile,
} from '@lis/contract/batch-files.ts'
import { styled } from '@mui/material/styles'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { ErrorIcon, SuccessIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const tones = { normal: 'var(--text)', ok: 'var(--success)', error: 'var(--error)' } as const

/** Completed of total; in the error colour, with an icon, while some are missing. */
const Rate = ({ totalFiles, totalFilesCompleted }: ReportUpload) => {
  const isShort = totalFilesCompleted < totalFiles
  return (
    <span
      style={{
        color: isShort ? tones.error : tones.ok,
        fontWeight: 600,
        display: 'inline-flex',
        gap: 4,
        alignItems: 'center',
      }}
    >
      {isShort ? (
        <ErrorIcon size={13} role="img" aria-hidden={false} aria-label="Not complete" />
      ) : (
        <SuccessIcon size={13} />
      )}
      {totalFilesCompleted}/{totalFiles}
    </span>
  )
}

export const uploadColumns: readonly Column<ReportUpload>[] = [
  {
    key: 'id',
    header: batchFileLabels.id,
    sort: 'id',
    width: 110,
    isSticky: true,
    cell: ({ id }) => <span className="strong">{id}</span>,
  },
  {
    key: 'loadDate',
    header: batchFileLabels.loadDate,
    sort: 'loadDate',
    width: 180,
    cell: ({ loadDate }) => <Timestamp at={loadDate} />,
  },
  {
    key: 'batchTypeDesc',
    header: batchFileLabels.batchTypeCode,
    sort: 'batchTypeDesc',
    width: 180,
    cell: ({ batchTypeDesc }) => batchTypeDesc,
  },
  { key: 'rate', header: batchFileLabels.uploadRate, width: 160, card: 'head', cell: Rate },
  { key: 'loadByName', header: batchFileLabels.loadByName, width: 180, cell: ({ loadByName }) => loadByName },
]

export const uploadFilters: readonly FieldDef[] = [
  { name: 'id', label: batchFileLabels.id, kind: 'number' },
  { name: 'batchTypeCode', label: batchFileLabels.batchTypeCode, kind: 'select', lookup: 'batchType' },
  { name: 'loadDate', label: batchFileLabels.loadDate, kind: 'dateRange' },
]

/** The state in its colour, and below it what to do about it. */
const FileState = ({ reportLoadStatusCode, reportLoadStatusDesc, note }: UploadedFile) => {
  const hint = reportLoadStatusCode === 'FILENOTFOUND' ? reuploadHint : note
  return (
    <>
      <span
        data-tone={fileStatusTone(reportLoadStatusCode)}
        style={{ color: tones[fileStatusTone(reportLoadStatusCode)] }}
      >
        {reportLoadStatusDesc}
      </span>
      {hint && <Hint>{hint}</Hint>}
    </>
  )
}

/** Never truncated: it says what to do. */
const Hint = styled('div')(({ theme }) => ({
  color: 'var(--text-3)',
  whiteSpace: 'normal',
  minWidth: 160,
  paddingBottom: 4,
  [theme.breakpoints.down('sm')]: { minWidth: 0 },
}))

/** On a phone the state must stay visible beside the name. */
const FileName = styled('div')({
  maxWidth: 'min(240px, 28vw)',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
})

export const fileColumns: readonly Column<UploadedFile>[] = [
  {
    key: 'name',
    header: batchFileLabels.reportOriginalFileName,
    cell: ({ reportOriginalFileName: name }) => <FileName title={name}>{name}</FileName>,
  },
  { key: 'reqId', header: batchFileLabels.reqId, cell: ({ reqId }) => reqId && `#${reqId}` },
  { key: 'status', header: batchFileLabels.reportLoadStatusDesc, cell: FileState },
  { key: 'statusDate', header: batchFileLabels.statusDate, cell: ({ statusDate }) => <Timestamp at={statusDate} /> },
]
