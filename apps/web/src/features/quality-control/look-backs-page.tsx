import { can } from '@lis/contract/access/permissions.ts'
import { type QcLookback, qcLabels, qcTopic, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { optionalText, required } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { z } from 'zod'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useLive } from '../../lib/use-live.ts'
import { useSave } from '../../lib/use-save.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const live = [qualityControlRoutes.lookbacks]
const idOf = ({ id }: QcLookback) => String(id)
const nameOf = ({ patientName, testCode }: QcLookback) => `${patientName}, ${testCode}`
const states = { OPEN: 'Open', CONFIRMED: 'Confirmed', REPEATED: 'Repeated', WAIVED: 'Released as it is' } as const
type Outcome = 'CONFIRMED' | 'REPEATED' | 'WAIVED'

const columns: readonly Column<QcLookback>[] = [
  {
    key: 'reqId',
    header: 'Req ID',
    width: 90,
    card: 'head',
    cell: ({ reqId }) => <Link to={`/requisitions/${reqId}/show`}>#{reqId}</Link>,
  },
  {
    key: 'patientName',
    header: 'Patient Name',
    width: 170,
    card: 'title',
    cell: ({ patientName }) => <span className="strong">{patientName}</span>,
  },
  { key: 'testCode', header: 'Test', width: 90, cell: ({ testCode }) => testCode },
  { key: 'value', header: 'Result', width: 90, align: 'right', cell: ({ value }) => value },
  {
    key: 'processDate',
    header: 'Measured',
    width: 140,
    cell: ({ processDate }) => processDate && <Timestamp at={processDate} />,
  },
  {
    key: 'isReleased',
    header: 'Report',
    width: 120,
    cell: ({ isReleased }) =>
      isReleased === 1 ? <strong style={{ color: 'var(--error)' }}>Released</strong> : 'Not released',
  },
  { key: 'state', header: 'State', width: 130, cell: ({ state }) => states[state] },
  {
    key: 'settled',
    header: 'Settled',
    width: 200,
    cell: ({ settledBy, reason }) => [settledBy, reason].filter(Boolean).join(': '),
  },
]

const dialogs: Record<Outcome, { title: string; intro: string; submit: string }> = {
  CONFIRMED: {
    title: 'Confirm the results',
    intro: 'They were looked at, and are right as they are.',
    submit: 'Confirm',
  },
  REPEATED: {
    title: 'Results were repeated',
    intro: 'They were measured again; a result that differs is corrected in its requisition.',
    submit: 'Repeated',
  },
  WAIVED: {
    title: 'Release without looking again',
    intro: 'The reason is kept with each result and in the history of its requisition.',
    submit: 'Release',
  },
}

/** Patient results measured since the last run in control. None can be released until it is settled. */
export const LookBacksPage = () => {
  const [params, setParams] = useSearchParams()
  useLive(qcTopic, live)
  const isAll = params.get('show') === 'all'
  const instrumentId = Number(params.get('instrumentId')) || null
  const testCode = params.get('testCode')
  const query = useQuery(
    read(qualityControlRoutes.lookbacks, {
      query: {
        instrumentId,
        testCode,
        state: isAll ? null : 'OPEN',
        qcRunId: null,
        reqId: null,
        page: 1,
        perPage: 500,
      },
    }),
  )
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const settle = useSave(qualityControlRoutes.settle)
  const role = useRole()
  const rows = query.data?.data
  const open = useMemo(() => (rows ?? []).filter(({ state }) => state === 'OPEN'), [rows])
  const ids = open.filter((row) => chosen.has(idOf(row))).map(({ id }) => id)
  // Without a choice only those of one test on one instrument, never everything that is open.
  const isOfOneTest = instrumentId !== null && testCode !== null
  const all = ids.length > 0 || !isOfOneTest ? ids : open.map(({ id }) => id)
  const selectable = useMemo(() => [checkColumn(chosen, setChosen), ...columns], [chosen])
  const what = `${all.length} ${all.length === 1 ? 'result' : 'results'}`
  return (
    <RecordPage
      title="Look-backs"
      isWide
      action={
        <Button component={Link} to="/quality-control">
          Quality control
        </Button>
      }
    >
      <CardTable
        title={testCode ? `To be looked at again, ${testCode}` : 'To be looked at again'}
        query={query}
        columns={can(role, 'qc.run') ? selectable : columns}
        rowId={idOf}
        rowName={nameOf}
        empty="No result waits to be looked at again."
        actions={
          <>
            <Button
              aria-pressed={isAll}
              onClick={() =>
                setParams((before) => {
                  const next = new URLSearchParams(before)
                  if (isAll) next.delete('show')
                  else next.set('show', 'all')
                  return next
                })
              }
            >
              {isAll ? 'Only open ones' : 'Show settled ones'}
            </Button>
            {can(role, 'qc.run') && open.length > 0 && (
              <>
                <Button disabled={all.length === 0} onClick={() => setOutcome('CONFIRMED')}>
                  {all.length === 0 ? 'Confirm the chosen results' : `Confirm ${what}`}
                </Button>
                <Button disabled={all.length === 0} onClick={() => setOutcome('REPEATED')}>
                  Repeated
                </Button>
                {can(role, 'qc.release') && (
                  <Button disabled={all.length === 0} onClick={() => setOutcome('WAIVED')}>
                    Release as they are
                  </Button>
                )}
              </>
            )}
          </>
        }
      />
      {outcome && (
        <FormDialog
          title={dialogs[outcome].title}
          subject={what}
          intro={<p>{dialogs[outcome].intro}</p>}
          submitLabel={dialogs[outcome].submit}
          schema={z.object({
            reason: outcome === 'WAIVED' ? required(qcLabels.reason, 1000) : optionalText(qcLabels.reason, 1000),
          })}
          fields={[{ name: 'reason', label: qcLabels.reason, kind: 'multiline', isRequired: outcome === 'WAIVED' }]}
          onSubmit={async ({ reason }) => {
            await settle({ body: { ids: all, outcome, reason } })
            setChosen(new Set())
          }}
          onClose={() => setOutcome(null)}
        />
      )}
    </RecordPage>
  )
}

const checkColumn = (
  chosen: ReadonlySet<string>,
  onChoose: (chosen: ReadonlySet<string>) => void,
): Column<QcLookback> => ({
  key: 'check',
  header: 'Choose',
  width: 70,
  isExactWidth: true,
  cell: (row) =>
    row.state === 'OPEN' && (
      <input
        type="checkbox"
        aria-label={`Choose ${nameOf(row)}`}
        checked={chosen.has(idOf(row))}
        onChange={({ target }) => {
          const next = new Set(chosen)
          if (target.checked) next.add(idOf(row))
          else next.delete(idOf(row))
          onChoose(next)
        }}
      />
    ),
})
