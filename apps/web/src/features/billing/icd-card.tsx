import { can } from '@lis/contract/access/permissions.ts'
import { billingRoutes, icdLabels as label, type RequisitionIcd } from '@lis/contract/billing.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { IcdDialog } from './icd-dialog.tsx'

const columns: readonly Column<RequisitionIcd>[] = [
  {
    key: 'icdCode',
    header: label.icdCode,
    width: 120,
    card: 'head',
    cell: ({ icdCode }) => <strong>{icdCode}</strong>,
  },
  { key: 'icdDesc', header: label.icdDesc, width: 300, card: 'title', cell: ({ icdDesc }) => icdDesc },
  { key: 'customIcd', header: label.customIcd, width: 100, cell: ({ customIcd }) => (customIcd === 1 ? 'Yes' : 'No') },
]
const nameOf = ({ icdCode, icdDesc }: RequisitionIcd) => `${icdCode} ${icdDesc}`

/** The diagnoses of the bill, and the patient's earlier ones. */
export const IcdCard = ({ requisitionId }: { requisitionId: number }) => {
  const role = useRole()
  const [isAdding, setAdding] = useState(false)
  const mayEdit = can(role, 'icds.edit')
  return (
    <>
      <TableCard
        title="ICD Codes"
        itemName="ICD code"
        resource="requisitions"
        route={billingRoutes.icds}
        params={{ id: requisitionId }}
        columns={columns}
        rowName={nameOf}
        removeRoute={billingRoutes.removeIcds}
        isFinal
        actions={
          mayEdit && (
            <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
              Add ICD
            </Button>
          )
        }
        emptyText="No ICD code yet; without one the requisition cannot be billed."
      />
      {can(role, 'icds.extraPanel') && <PreviousIcds requisitionId={requisitionId} mayAdd={mayEdit} />}
      {isAdding && <IcdDialog requisitionId={requisitionId} onClose={() => setAdding(false)} />}
    </>
  )
}

const Chips = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 6 })
const Code = styled('span')({
  padding: '2px 8px',
  borderRadius: 'var(--r-sm)',
  border: '1px solid var(--line)',
  background: 'var(--n-50)',
})

/** Codes of the patient's earlier requisitions, each added by one click. */
const PreviousIcds = ({ requisitionId, mayAdd }: { requisitionId: number; mayAdd: boolean }) => {
  const { data } = useQuery(readList(billingRoutes.previousIcds, { id: requisitionId }, allRows))
  const add = useSave(billingRoutes.addIcds)
  const [busy, setBusy] = useState<number | null>(null)
  if (!data || data.data.length === 0) return null
  const take = async (icdId: number) => {
    setBusy(icdId)
    try {
      await add({ params: { id: requisitionId }, body: { icdIds: [icdId] } })
    } catch {
      // Announced by `useSave`.
    } finally {
      setBusy(null)
    }
  }
  return (
    <Card title="Previous ICD codes">
      <Chips>
        {data.data.map(({ id, icdCode, icdDesc, reqId }) =>
          mayAdd ? (
            <ActionButton
              key={id}
              size="small"
              startIcon={<PlusIcon />}
              isBusy={busy === id}
              title={`${icdDesc} (#${reqId})`}
              aria-label={`Add ${icdCode} ${icdDesc}`}
              onClick={() => busy === null && take(id)}
            >
              {icdCode}
            </ActionButton>
          ) : (
            <Code key={id} title={`${icdDesc} (#${reqId})`}>
              {icdCode}
            </Code>
          ),
        )}
      </Chips>
    </Card>
  )
}
