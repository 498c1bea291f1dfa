import { messages } from '@lis/contract/messages.ts'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../lib/api-error.ts'
import { isHandledElsewhere } from '../../lib/wait-for-job.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { CloseIcon, DownloadIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { fileOf, forgetReport, type ReportJob, useReportJobs } from './report-jobs.ts'

const List = styled('ul')({
  margin: '0 0 12px',
  padding: 0,
  listStyle: 'none',
  maxWidth: 1280,
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  '& > li': { display: 'flex', alignItems: 'center', gap: 8, minHeight: 40, padding: '4px 12px' },
  '& > li + li': { borderTop: '1px solid var(--line)' },
  '& .title': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
})

/** Reports created in the background, and their files while they are available. */
export const LongReports = () => {
  const jobs = useReportJobs()
  if (jobs.length === 0) return null
  return (
    <List aria-label="Reports in the background">
      {jobs.map((job) => (
        <LongReport key={job.id} job={job} />
      ))}
    </List>
  )
}

const LongReport = ({ job: { id, title, isReady } }: { job: ReportJob }) => {
  const notify = useNotify()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // Opened by the click itself, or the pop-up blocker would stop it.
      const opened = window.open('', '_blank')
      try {
        const url = await fileOf(id)
        if (opened) opened.location.href = url
        else notify.success(messages.downloadNotice, { downloadUrl: url })
        forgetReport(id)
      } catch (error) {
        opened?.close()
        if (error instanceof ApiError && error.status === 404) forgetReport(id)
        if (!isHandledElsewhere(error)) notify.warning((error as Error).message)
      }
    },
  })
  return (
    <li>
      <span className="title">{title}</span>
      {isReady ? (
        <ActionButton isBusy={isPending} startIcon={<DownloadIcon />} onClick={() => mutate()}>
          Download
        </ActionButton>
      ) : (
        <>
          <Spinner />
          <span className="meta">Being prepared</span>
        </>
      )}
      <IconButton size="small" aria-label={`Dismiss ${title}`} onClick={() => forgetReport(id)}>
        <CloseIcon />
      </IconButton>
    </li>
  )
}
