import { autoverifyLabels, switchInput, type tryInput } from '@lis/contract/autoverification.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { type ReactNode, useId, useState } from 'react'
import { Link } from 'react-router'
import type { z } from 'zod'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { lastDays } from './last-days.ts'

interface SwitchDialogProps {
  /** The rule as text. */
  subject: string
  isActive: 0 | 1
  onSwitch: (body: z.output<typeof switchInput>) => Promise<unknown>
  onClose: () => void
}

/** Switches a rule on or off, with a reason. */
export const SwitchDialog = ({ subject, isActive, onSwitch, onClose }: SwitchDialogProps) => {
  const [title, label] = isActive === 1 ? ['Switch the rule off', 'Switch off'] : ['Switch the rule on', 'Switch on']
  return (
    <FormDialog
      title={title}
      subject={subject}
      submitLabel={label}
      schema={switchInput.pick({ reason: true })}
      fields={[{ name: 'reason', label: autoverifyLabels.reason, kind: 'multiline', isRequired: true }]}
      onSubmit={({ reason }) => onSwitch({ isActive: isActive === 1 ? 0 : 1, reason })}
      onClose={onClose}
    />
  )
}

const Days = styled('div')({
  display: 'grid',
  gridTemplateColumns: '1fr 1fr auto',
  gap: 8,
  alignItems: 'end',
})
const Figures = styled('dl')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '8px 24px',
  margin: 0,
  '& dt': { fontSize: 11, color: 'var(--text-3)' },
  '& dd': { margin: 0, fontSize: 16, fontWeight: 700, color: 'var(--text-strong)' },
  '& .bad': { color: 'var(--error)' },
})
const Tried = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& th': {
    height: 28,
    padding: '0 8px 0 0',
    textAlign: 'left',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--text-2)',
  },
  '& td': { padding: '5px 8px 5px 0', borderTop: '1px solid var(--line)', verticalAlign: 'top' },
  '& a': { color: 'var(--link)' },
})

interface TriedFiguresProps {
  tried: Record<'considered' | 'wouldPass' | 'laterCorrected' | 'laterFailed' | 'critical', number>
  /** What 'passed' means for this kind of rule. */
  passed: string
  isCriticalBad?: boolean
}

/** The number of past results that a rule would accept, and what later happened to them. */
export const TriedFigures = ({ tried, passed, isCriticalBad = false }: TriedFiguresProps) => {
  const figures = [
    ['results', tried.considered, false],
    [passed, tried.wouldPass, false],
    ['of these later corrected', tried.laterCorrected, true],
    ['later failed', tried.laterFailed, true],
    ['critical', tried.critical, isCriticalBad],
  ] as const
  return (
    <Figures>
      {figures.map(([name, count, isBad]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={isBad && count > 0 ? 'bad' : undefined}>{count.toLocaleString('en-US')}</dd>
        </div>
      ))}
    </Figures>
  )
}

/** The later outcome of a past result. */
export const laterOf = (row: Record<'wasCorrected' | 'wasFailed' | 'isCritical', 0 | 1>): string[] => [
  ...(row.wasCorrected ? ['later corrected'] : []),
  ...(row.wasFailed ? ['later failed'] : []),
  ...(row.isCritical ? ['critical'] : []),
]

interface TriedRow {
  reqId: number
  reqTestId: number
  value: string
}

interface TriedTableProps<Row> {
  rows: readonly Row[]
  /** The header of a third column, and its cells. */
  detail?: { header: string; cell: (row: Row) => ReactNode }
}

/** Past results that a rule was run over. */
export const TriedTable = <Row extends TriedRow>({ rows, detail }: TriedTableProps<Row>) => {
  if (rows.length === 0) return null
  return (
    <div style={{ maxHeight: 320, overflow: 'auto' }}>
      <Tried>
        {detail && (
          <thead>
            <tr>
              <th scope="col">Req ID</th>
              <th scope="col">Value</th>
              <th scope="col">{detail.header}</th>
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr key={row.reqTestId}>
              <td>
                <Link to={`/requisitions/${row.reqId}/show/tests`}>#{row.reqId}</Link>
              </td>
              <td>
                <b>{row.value}</b>
              </td>
              {detail && <td>{detail.cell(row)}</td>}
            </tr>
          ))}
        </tbody>
      </Tried>
    </div>
  )
}
/** More rows are not shown. */
export const mostShown = 200

interface TryDialogProps<Reply> {
  subject: string
  run: (body: z.input<typeof tryInput>) => Promise<Reply>
  children: (reply: Reply) => ReactNode
  onClose: () => void
}

/** Runs a rule over the past and changes nothing. */
export const TryDialog = <Reply,>({ subject, run, children, onClose }: TryDialogProps<Reply>) => {
  const id = useId()
  const zone = useZone()
  const [period, setPeriod] = useState(() => lastDays(90, zone))
  const [reply, setReply] = useState<Reply | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    try {
      setReply(await run(period))
      setFailure(null)
    } catch (error) {
      setReply(null)
      setFailure((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={`${id}-title`}
      slotProps={{ paper: { sx: { width: 660, maxWidth: '96vw' } } }}
    >
      <DialogTitle id={`${id}-title`}>Try it</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        <p>
          <b>{subject}</b>
          <br />
          The rule is run over past results. Nothing is changed.
        </p>
        <Days>
          <FieldInput
            field={{ name: 'fromDate', label: 'From', kind: 'date' }}
            value={period.fromDate}
            onChange={(value) => setPeriod({ ...period, fromDate: String(value) })}
          />
          <FieldInput
            field={{ name: 'toDate', label: 'To', kind: 'date' }}
            value={period.toDate}
            onChange={(value) => setPeriod({ ...period, toDate: String(value) })}
          />
          <ActionButton variant="contained" isBusy={isBusy} onClick={start}>
            Try it
          </ActionButton>
        </Days>
        {failure && <Banner type="error">{failure}</Banner>}
        {reply && children(reply)}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}
