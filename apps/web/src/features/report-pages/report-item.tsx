import { type qaReportRoutes, type ReportItem, reportPageLabels } from '@lis/contract/reports-pages.ts'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useId, useState } from 'react'
import { ActionButton } from '../../ui/action-button.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { checkPeriod, defaultPeriod, type Period, sentPeriod } from './period.ts'
import { ReportPreview } from './report-preview.tsx'
import { useReportDownload } from './use-report-download.ts'

const Row = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 150px 150px auto auto',
  gap: 8,
  alignItems: 'start',
  padding: '10px 12px',
  '& h2': { fontSize: 13, lineHeight: '18px', fontWeight: 600, color: 'var(--text-strong)' },
  '& p': { margin: 0, fontSize: 12, lineHeight: '16px', color: 'var(--text-3)' },
  // The labels are above the date inputs; the buttons are beside the inputs.
  '& > .act': { paddingTop: 18 },
  [theme.breakpoints.down('md')]: {
    gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr) auto auto',
    '& > .name': { gridColumn: '1 / -1' },
  },
  [theme.breakpoints.down('sm')]: {
    gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
    '& > .act': { paddingTop: 0 },
    '& > .act:last-child': { justifySelf: 'end' },
  },
}))

const dateFields = (['fromDate', 'toDate'] as const).map((name) => ({
  name,
  label: reportPageLabels[name],
  kind: 'date' as const,
  isRequired: true,
}))

export type ReportRoutes = typeof qaReportRoutes

interface ReportItemProps {
  item: ReportItem
  routes: ReportRoutes
  isOpen: boolean
  onToggle: () => void
}

/** One report: its purpose, period, preview and download. */
export const ReportItemRow = ({ item, routes, isOpen, onToggle }: ReportItemProps) => {
  const zone = useZone()
  const [chosen, setPeriod] = useState<Period | null>(null)
  // The zone of the laboratory is known a moment after the page is shown.
  const period = chosen ?? defaultPeriod(zone)
  const [errors, setErrors] = useState<Partial<Period>>({})
  const { reportCode, reportDesc, purpose } = item
  const { mutate, isPending } = useReportDownload(
    routes.download,
    ({ fromDate, toDate }) => `${reportDesc}, ${fromDate} to ${toDate}`,
  )
  const id = useId()

  /** Runs only if the period is valid. */
  const ifValid = (run: () => void) => {
    const found = checkPeriod(period)
    setErrors(found ?? {})
    if (!found) run()
  }
  const change = (field: FieldDef, value: unknown) => {
    const next = { ...period, [field.name]: String(value) }
    setPeriod(next)
    if (Object.keys(errors).length > 0 || isOpen) setErrors(checkPeriod(next) ?? {})
  }
  const download = () => !isPending && ifValid(() => mutate({ ...sentPeriod(period), reportCode }))
  return (
    <section aria-labelledby={id}>
      <Row>
        <div className="name">
          <h2 id={id}>{reportDesc}</h2>
          <p>{purpose}</p>
        </div>
        {dateFields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={period[field.name]}
            onChange={(value) => change(field, value)}
            error={errors[field.name]}
          />
        ))}
        <div className="act">
          <ActionButton aria-expanded={isOpen} onClick={() => (isOpen ? onToggle() : ifValid(onToggle))}>
            Preview
          </ActionButton>
        </div>
        <div className="act">
          <IconButton aria-label={`Download ${reportDesc}`} aria-busy={isPending || undefined} onClick={download}>
            {isPending ? <Spinner /> : <DownloadIcon />}
          </IconButton>
        </div>
      </Row>
      {isOpen && checkPeriod(period) === null && (
        <ReportPreview route={routes.preview} title={reportDesc} input={{ ...sentPeriod(period), reportCode }} />
      )}
    </section>
  )
}
