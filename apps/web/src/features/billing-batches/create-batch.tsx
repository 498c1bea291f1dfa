import { type BatchDetail, type BatchPlanRow, billingBatchRoutes, maxBatchSize } from '@lis/contract/billing-batches.ts'
import { formatMoney, type Money, sumByCurrency } from '@lis/contract/money.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DryRunDialog } from '../../domain/dry-run-dialog.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { Checkbox } from '../../ui/form/toggles.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const Kinds = styled('table')({
  width: '100%',
  maxWidth: 420,
  marginTop: 16,
  borderCollapse: 'collapse',
  fontVariantNumeric: 'tabular-nums',
  '& caption': { textAlign: 'left', fontWeight: 600, color: 'var(--text-strong)', paddingBottom: 4 },
  '& th, & td': { padding: '4px 0', borderTop: '1px solid var(--line)', fontWeight: 400, textAlign: 'left' },
  '& td': { textAlign: 'right', paddingLeft: 16 },
})

const Again = styled('fieldset')({
  margin: '12px 0 0',
  padding: 0,
  border: 0,
  '& legend': { padding: 0, fontWeight: 600, color: 'var(--text-strong)' },
  // Each is a separate decision, and there may be many.
  '& > div': { display: 'flex', flexDirection: 'column', maxHeight: 160, overflowY: 'auto' },
})

const outcomeOf = (rows: readonly BatchPlanRow[]): Outcome => ({
  moved: rows.filter(({ missing }) => missing === null).map(({ id }) => id),
  refused: rows.flatMap((row) =>
    row.missing === null
      ? []
      : [
          {
            id: row.id,
            label: requisitionTitle(row),
            reason: row.missing,
            tabSlug: row.tabSlug,
            ...(row.unpricedClientId !== undefined && { unpricedClientId: row.unpricedClientId }),
          },
        ],
  ),
})

/** Count and amount by payer type. */
const kindsOf = (rows: readonly BatchDetail[]) => {
  const kinds = Map.groupBy(rows, ({ reqBillTypeDesc }) => reqBillTypeDesc ?? 'None')
  return [...kinds].map(([name, of]) => ({ name, count: of.length, sums: sumByCurrency(of.flatMap(moneyOf)) }))
}

const moneyOf = ({ amount, currencyCode }: BatchDetail): Money[] =>
  amount !== null && currencyCode !== null ? [{ amount, currencyCode }] : []

/** Already billed, and only that prevents billing it again. */
const isBilled = ({ billedBatchId }: BatchPlanRow) => billedBatchId !== null

/** Creates a batch of requisitions that are ready to bill, after a preview. */
export const CreateBatch = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="contained" startIcon={<PlusIcon />} onClick={() => setOpen(true)}>
        Create Batch
      </Button>
      {isOpen && <CreateBatchDialog onClose={() => setOpen(false)} />}
    </>
  )
}

const CreateBatchDialog = ({ onClose }: { onClose: () => void }) => {
  const plan = useQuery({ ...read(billingBatchRoutes.plan), staleTime: 0, gcTime: 0 })
  const [rebilled, setRebilled] = useState<ReadonlySet<number>>(new Set())
  const found = plan.data?.data ?? []
  const billed = found.filter(isBilled)
  const rows = found.map((row) => (isBilled(row) && rebilled.has(row.id) ? { ...row, missing: null } : row))
  const outcome = plan.data && outcomeOf(rows)
  const taken = rows.filter(({ missing }) => missing === null)
  const waiting = (plan.data?.total ?? 0) - rows.length
  const create = useSave(billingBatchRoutes.create)
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<Error | null>(null)
  const run = async () => {
    setRunning(true)
    setFailure(null)
    try {
      // Those to bill again first: a full batch leaves new ones for the next.
      const reqIds = taken.toSorted((one, other) => Number(isBilled(other)) - Number(isBilled(one))).map(({ id }) => id)
      await create({ body: { reqIds: reqIds.slice(0, maxBatchSize), billAgain: taken.some(isBilled) } })
      onClose()
    } catch (error) {
      setFailure(error as Error)
      setRunning(false)
    }
  }
  return (
    <DryRunDialog
      title="Create billing batch"
      plan={{ data: outcome, error: plan.error, isFetching: plan.isFetching, refetch: plan.refetch }}
      rows={rows}
      verb="be in the batch"
      note="What stays out is ready to bill for the next batch. Nothing is billed before the batch is sent."
      confirm={(count) => `Create batch of ${count}`}
      nothing="Nothing to bill"
      isRunning={isRunning}
      failure={failure}
      onRun={run}
      onClose={onClose}
    >
      {plan.data?.total === 0 && <p style={{ marginTop: 8 }}>No requisition is ready to bill.</p>}
      {billed.length > 0 && (
        <Again>
          <legend>Bill again what an earlier batch has billed ({billed.length})</legend>
          <div>
            {billed.map((row) => (
              <Checkbox
                key={row.id}
                label={`${requisitionTitle(row)} · ${row.missing}`}
                checked={rebilled.has(row.id)}
                onChange={({ target }) =>
                  setRebilled(new Set([...rebilled].filter((id) => id !== row.id).concat(target.checked ? row.id : [])))
                }
              />
            ))}
          </div>
        </Again>
      )}
      {taken.length > 0 && <KindTable rows={taken} />}
      {waiting > 0 && <p style={{ marginTop: 8 }}>{waiting.toLocaleString('en-US')} more wait for the next batch.</p>}
    </DryRunDialog>
  )
}

const KindTable = ({ rows }: { rows: readonly BatchDetail[] }) => (
  <Kinds>
    <caption>Billed to</caption>
    <tbody>
      {kindsOf(rows).map(({ name, count, sums }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{count}</td>
          <td>{sums.map(formatMoney).join(', ') || formatMoney({ amount: '0.00', currencyCode: 'USD' })}</td>
        </tr>
      ))}
    </tbody>
  </Kinds>
)
