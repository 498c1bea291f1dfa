import {
  type DecidedItems,
  instrumentResultLabels as label,
  type ReviewResult,
  instrumentResultRoutes as routes,
} from '@lis/contract/instrument-results.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { call } from '../../lib/api.ts'
import { formatLongDate } from '../../lib/formats.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { subjectOf, testOf } from './review-groups.ts'

export type Deciding = 'accept' | 'rerun' | 'dilute' | 'reject'

/** The texts of each decision: its title, what will happen, what has happened, and what it means. */
export const words = {
  accept: ['Accept', 'be accepted', 'accepted', ''],
  rerun: [
    'Rerun',
    'be run again',
    'sent back for a rerun',
    'The value does not count, and the instrument is asked again.',
  ],
  dilute: [
    'Dilute',
    'be diluted and run again',
    'sent back to be diluted',
    'The value does not count, and the instrument is asked again. The dilution is in the history of the result.',
  ],
  reject: ['Reject', 'be rejected', 'rejected', 'The value does not count.'],
} as const

const Lines = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& td': { padding: '5px 8px 5px 0', borderTop: '1px solid var(--line)', verticalAlign: 'top' },
  '& td:last-of-type': { paddingRight: 0 },
  '& b': { color: 'var(--text-strong)' },
  '& .refused': { color: 'var(--warning)' },
})

interface DecideDialogProps {
  deciding: Deciding
  rows: readonly ReviewResult[]
  /** Why the server requires a reason: the test has several results. Null where it has not asked. */
  reasonWanted: string | null
  isBusy: boolean
  onDecide: (reason: string) => Promise<void>
  onClose: () => void
}

/** Asks for the reason; for several results it shows first what will happen to each. */
export const DecideDialog = ({ deciding, rows, reasonWanted, isBusy, onDecide, onClose }: DecideDialogProps) => {
  const id = useId()
  const [reason, setReason] = useState(deciding === 'dilute' ? 'Dilute 1:5' : '')
  const [isTried, setTried] = useState(false)
  const [title, verb, , meaning] = words[deciding]
  const isMany = rows.length > 1
  const given = reason.trim()
  const plan = usePlan(deciding, rows, given !== '')
  const isNeeded = deciding !== 'accept' || reasonWanted !== null
  const refusedFor = plan.data?.refused.some(({ code }) => code === 'reason')
  const count = isMany ? (plan.data?.done.length ?? 0) : 1
  const run = () => {
    setTried(true)
    if (!isNeeded || given !== '') void onDecide(given)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={`${id}-title`}
      slotProps={{ paper: { sx: { width: isMany ? 660 : 460, maxWidth: '96vw' } } }}
    >
      <DialogTitle id={`${id}-title`}>
        {title} {isMany ? `${rows.length} results` : 'this result'}
      </DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 3 }}>
        {!isMany && rows[0] && <OneResult row={rows[0]} />}
        {meaning && <p>{meaning}</p>}
        {isMany &&
          (plan.data ? (
            <Plan rows={rows} plan={plan.data} verb={verb} />
          ) : plan.error ? (
            <LoadFailed error={plan.error} onRetry={() => plan.refetch()} />
          ) : (
            <LoadingState label="Checking what will happen" />
          ))}
        {!isMany && reasonWanted && <Banner type="warning">{reasonWanted}. The others no longer count.</Banner>}
        <form
          id={id}
          onSubmit={(event) => {
            event.preventDefault()
            run()
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
          }}
        >
          <ReasonField
            isRequired={isNeeded}
            hint={refusedFor ? 'Say why these count where a test has several results' : undefined}
            value={reason}
            onChange={setReason}
            error={isTried && isNeeded && given === '' ? `${label.reason} is required` : undefined}
          />
        </form>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton
          type="submit"
          form={id}
          variant="contained"
          color={deciding === 'reject' ? 'error' : 'primary'}
          isBusy={isBusy}
          disabled={isMany && count === 0}
        >
          {isMany ? `${title} ${count}` : title}
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}

interface ReasonFieldProps {
  isRequired: boolean
  hint: string | undefined
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

/** Has the focus when the dialog opens. */
const ReasonField = ({ isRequired, hint, value, onChange, error }: ReasonFieldProps) => {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <FieldInput
      field={{ name: 'reason', label: label.reason, kind: 'multiline', isRequired, ...(hint && { hint }) }}
      inputRef={field}
      value={value}
      onChange={(next) => onChange(String(next))}
      error={error}
    />
  )
}

const OneResult = ({ row }: { row: ReviewResult }) => (
  <p>
    <b>
      {subjectOf(row)}
      {row.patientDob && ` (${formatLongDate(row.patientDob)})`}
    </b>
    <br />
    {testOf(row)} {row.value} {row.units}
  </p>
)

/** A dilution is a rerun with its factor as the reason. */
export const callOf = <Of extends Deciding>(deciding: Of) =>
  (deciding === 'dilute' ? 'rerun' : deciding) as Exclude<Of, 'dilute'> | (Of extends 'dilute' ? 'rerun' : never)

/** A dry run on the server. */
const usePlan = (deciding: Deciding, rows: readonly ReviewResult[], hasReason: boolean) => {
  const items = rows.map(({ id, version }) => ({ id, version }))
  // A rerun or a rejection needs a reason even to be tried; for an acceptance, having one changes what is refused.
  const reason = deciding !== 'accept' || hasReason ? 'Dry run' : null
  return useQuery({
    queryKey: ['review dry run', deciding, items, reason],
    enabled: rows.length > 1,
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<DecidedItems> => {
      const body = { items, dryRun: true }
      if (deciding === 'accept') return (await call(routes.accept, { body: { ...body, reason }, signal })).data
      return (await call(routes[callOf(deciding)], { body: { ...body, reason: reason ?? '' }, signal })).data
    },
  })
}

const Plan = ({ rows, plan, verb }: { rows: readonly ReviewResult[]; plan: DecidedItems; verb: string }) => {
  const why = new Map(plan.refused.map(({ id, message }) => [id, message]))
  return (
    <>
      <p>
        <strong style={{ fontSize: 16, color: 'var(--text-strong)' }}>
          {plan.done.length} will {verb}, {plan.refused.length} will not
        </strong>{' '}
        <span style={{ color: 'var(--text-3)' }}>Nothing has been changed yet.</span>
      </p>
      <div style={{ maxHeight: 280, overflow: 'auto' }}>
        <Lines>
          <tbody>
            {rows
              .toSorted((one, other) => Number(why.has(other.id)) - Number(why.has(one.id)))
              .map((row) => (
                <tr key={row.id}>
                  <td>{subjectOf(row)}</td>
                  <td>
                    {testOf(row)}{' '}
                    <b>
                      {row.value} {row.units}
                    </b>
                  </td>
                  <td className={why.has(row.id) ? 'refused' : undefined}>{why.get(row.id) ?? `Will ${verb}`}</td>
                </tr>
              ))}
          </tbody>
        </Lines>
      </div>
    </>
  )
}
