import { can } from '@lis/contract/access/permissions.ts'
import { type Billing, billingRoutes, type Insurance, insuranceLabels as label } from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { formatLongDate } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeleteWarning } from '../../ui/delete-warning.tsx'
import { EditIcon, MoreIcon } from '../../ui/icons.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Table } from '../../ui/table/table.tsx'
import { PlusIcon, TrashIcon } from '../../ui/table/table-icons.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { InsuranceDialog } from './insurance-dialog.tsx'
import { PreviousInsurancesDialog } from './previous-insurances-dialog.tsx'

const Frame = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  margin: -12,
  minHeight: 69,
  '& > *': { borderTop: 0, borderRadius: '0 0 var(--r-md) var(--r-md)' },
})

const idOf = ({ id }: Insurance) => String(id)
const nameOf = ({ billingOrderDesc, insuranceCompany }: Insurance) => `${billingOrderDesc}: ${insuranceCompany}`
const emptyTable = <EmptyState title="Empty Table">No insurance is known for this requisition.</EmptyState>

/** The insurances in billing order. */
export const InsuranceCard = ({ billing }: { billing: Billing }) => {
  const role = useRole()
  const mayEdit = can(role, 'insurances.edit')
  const params = { id: billing.reqId, billId: billing.billId }
  const { data, error, refetch, isFetching } = useQuery(readList(billingRoutes.insurances, params, allRows))
  const [edited, setEdited] = useState<Insurance | 'new' | 'previous' | null>(null)
  const [deleting, setDeleting] = useState<Insurance | null>(null)
  const columns = useMemo(() => columnsFor({ onEdit: setEdited, onDelete: setDeleting }), [])
  const close = () => setEdited(null)
  return (
    <Card
      title="Insurance Information"
      actions={
        mayEdit && (
          <>
            <Button onClick={() => setEdited('previous')}>Previous Insurances</Button>
            <Button startIcon={<PlusIcon />} disabled={!data} onClick={() => setEdited('new')}>
              Add
            </Button>
          </>
        )
      }
    >
      <Frame>
        <Table
          label="Insurance Information"
          columns={columns}
          rows={data?.data}
          rowId={idOf}
          rowName={nameOf}
          isBusy={isFetching}
          skeletonRows={2}
          state={error ? <LoadFailed error={error} onRetry={() => refetch()} /> : data?.data.length === 0 && emptyTable}
        />
      </Frame>
      {edited === 'previous' && <PreviousInsurancesDialog billing={billing} onClose={close} />}
      {edited !== null && edited !== 'previous' && (
        <InsuranceDialog
          billing={billing}
          insurance={edited === 'new' ? undefined : edited}
          taken={(data?.data ?? []).map(({ billingOrder }) => billingOrder)}
          onClose={close}
        />
      )}
      <DeleteInsurance insurance={deleting} onClose={() => setDeleting(null)} />
    </Card>
  )
}

interface RowActions {
  onEdit: (row: Insurance) => void
  onDelete: (row: Insurance) => void
}

const columnsFor = ({ onEdit, onDelete }: RowActions): readonly Column<Insurance>[] => [
  {
    key: 'billingOrder',
    header: label.billingOrder,
    width: 100,
    card: 'head',
    cell: ({ billingOrder, billingOrderDesc }) => `${billingOrder} ${billingOrderDesc}`,
  },
  {
    key: 'insuranceCompany',
    header: label.insuranceCompany,
    width: 160,
    card: 'title',
    cell: ({ insuranceCompany }) => <strong>{insuranceCompany}</strong>,
  },
  {
    key: 'insuranceCompanyNo',
    header: 'Company Number',
    width: 90,
    cell: ({ insuranceCompanyNo }) => insuranceCompanyNo,
  },
  { key: 'reqBillTypeDesc', header: label.reqBillTypeCode, width: 90, cell: ({ reqBillTypeDesc }) => reqBillTypeDesc },
  { key: 'policyHolder', header: label.policyHolder, width: 120, cell: ({ policyHolder }) => policyHolder },
  { key: 'policyNo', header: label.policyNo, width: 104, cell: ({ policyNo }) => policyNo },
  { key: 'groupNo', header: label.groupNo, width: 84, cell: ({ groupNo }) => groupNo },
  {
    key: 'insuredDob',
    header: 'Insured DOB',
    width: 92,
    cell: ({ insuredDob }) => insuredDob && formatLongDate(insuredDob),
  },
  {
    key: 'actions',
    header: 'Actions',
    HeaderIcon: MoreIcon,
    width: 80,
    isSticky: 'right',
    visibleTo: 'insurances.edit',
    cell: (row) => (
      <>
        <IconButton size="small" aria-label={`Edit insurance ${nameOf(row)}`} onClick={() => onEdit(row)}>
          <EditIcon />
        </IconButton>
        <IconButton size="small" aria-label={`Delete insurance ${nameOf(row)}`} onClick={() => onDelete(row)}>
          <TrashIcon />
        </IconButton>
      </>
    ),
  },
]

const DeleteInsurance = ({ insurance, onClose }: { insurance: Insurance | null; onClose: () => void }) => {
  const remove = useSave(billingRoutes.removeInsurance, { failure: 'error' })
  const [isBusy, whileBusy] = useBusy()
  const confirm = async () => {
    if (!insurance) return
    await whileBusy(async () => {
      await remove({ params: { id: insurance.reqId, billId: insurance.billId, insId: insurance.id } })
      onClose()
    })
  }
  return (
    <ConfirmDialog
      isOpen={insurance !== null}
      title={messages.deleteOne('insurance')}
      {...(insurance && { subject: nameOf(insurance) })}
      confirmLabel="Delete"
      isDestructive
      isBusy={isBusy}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <DeleteWarning />
    </ConfirmDialog>
  )
}
