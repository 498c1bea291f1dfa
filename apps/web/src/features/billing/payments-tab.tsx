import { can } from '@lis/contract/access/permissions.ts'
import { formatMoney } from '@lis/contract/money.ts'
import {
  paymentLabels as label,
  type Payment,
  paymentCurrency,
  paymentForm,
  paymentRoutes,
  toPaymentInput,
} from '@lis/contract/payments.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useListAddress } from '../../lib/list-address.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { ListTable } from '../../ui/list-page/list-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AccountCard } from './account-card.tsx'
import { WorkColumns } from './work-columns.tsx'

const Frame = styled('section')({
  display: 'flex',
  flexDirection: 'column',
  minHeight: 200,
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  boxShadow: 'var(--shadow-1)',
  overflow: 'hidden',
  '& > h2': { padding: '12px', fontSize: 13, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
})

const columns: readonly Column<Payment>[] = [
  {
    key: 'paymentDate',
    header: label.paymentDate,
    width: 88,
    sort: 'paymentDate',
    cell: ({ paymentDate }) => paymentDate,
  },
  {
    key: 'amount',
    header: label.amount,
    width: 92,
    align: 'right',
    sort: 'amount',
    card: 'head',
    cell: (row) => <strong>{formatMoney(row)}</strong>,
  },
  {
    key: 'balance',
    header: label.balance,
    width: 92,
    align: 'right',
    cell: ({ balance, currencyCode }) => formatMoney({ amount: balance, currencyCode }),
  },
  {
    key: 'paymentTypeDesc',
    header: label.paymentTypeCode,
    width: 96,
    sort: 'paymentTypeDesc',
    cell: (row) => row.paymentTypeDesc,
  },
  {
    key: 'payerTypeDesc',
    header: label.payerTypeCode,
    width: 84,
    sort: 'payerTypeDesc',
    cell: (row) => row.payerTypeDesc,
  },
  { key: 'payer', header: label.payer, width: 120, sort: 'payer', card: 'title', cell: ({ payer }) => payer },
  { key: 'paymentNo', header: label.paymentNo, width: 130, sort: 'paymentNo', cell: ({ paymentNo }) => paymentNo },
  { key: 'paymentNote', header: label.paymentNote, width: 120, cell: ({ paymentNote }) => paymentNote },
]
const nameOf = (row: Payment) => `${row.paymentDate} ${row.payer} ${formatMoney(row)}`
const noFilters: readonly FieldDef[] = []
const defaults = { perPage: 10, perPageOptions: [10, 25, 50, 75, 100] }

/** Payments, and the balance after them. */
export const PaymentsTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id } = requisition
  const role = useRole()
  const [address, change] = useListAddress(defaults)
  return (
    <WorkColumns>
      <div>
        <AccountCard requisition={requisition} />
        {can(role, 'payments.write') && <AddPayment requisitionId={id} />}
      </div>
      <Frame aria-label="Payments">
        <h2>Payments</h2>
        <ListTable
          label="Payments"
          itemName="payment"
          route={paymentRoutes.list}
          params={{ id }}
          columns={columns}
          rowName={nameOf}
          removeRoute={paymentRoutes.removeMany}
          // The balance beside the table includes them too.
          resource="requisitions"
          filters={noFilters}
          defaults={defaults}
          address={address}
          onChange={change}
        />
      </Frame>
    </WorkColumns>
  )
}

/** `currency` is that of the charges; other currencies than US dollars are named in the form. */
const fieldsFor = (currency: string, showsCurrency: boolean): readonly FieldDef[] => [
  { name: 'paymentTypeCode', label: label.paymentTypeCode, kind: 'select', lookup: 'paymentType', isRequired: true },
  { name: 'payerTypeCode', label: label.payerTypeCode, kind: 'select', lookup: 'payerType', isRequired: true },
  { name: 'payer', label: label.payer, kind: 'text', isRequired: true },
  { name: 'amount', label: label.amount, kind: 'text', isRequired: true, hint: 'A refund with a minus sign' },
  {
    name: 'currencyCode',
    label: label.currencyCode,
    kind: 'select',
    lookup: 'currency',
    initial: currency,
    isHidden: () => !showsCurrency,
    isWide: true,
  },
  { name: 'paymentMonth', label: label.paymentMonth, kind: 'text', isRequired: true, span: 4 },
  { name: 'paymentDay', label: label.paymentDay, kind: 'text', isRequired: true, span: 4 },
  { name: 'paymentYear', label: label.paymentYear, kind: 'text', isRequired: true, span: 4 },
  { name: 'paymentNo', label: label.paymentNo, kind: 'text', isRequired: true, isWide: true },
  { name: 'paymentNote', label: label.paymentNote, kind: 'multiline', isRequired: true, isWide: true },
]

/** Reset after each payment, so that the next can be typed at once. */
const AddPayment = ({ requisitionId }: { requisitionId: number }) => {
  const add = useSave(paymentRoutes.add)
  const [count, setCount] = useState(0)
  const account = useQuery(read(paymentRoutes.account, { params: { id: requisitionId } }))
  const currency = paymentCurrency(account.data?.data.charges ?? [])
  const showsCurrency = account.data?.data.balances.some(({ currencyCode }) => currencyCode !== 'USD') ?? false
  const fields = useMemo(() => fieldsFor(currency, showsCurrency), [currency, showsCurrency])
  // The currency is an initial value of the form.
  if (account.isPending) return null
  return (
    <RecordForm
      key={count}
      title="Add Payment"
      submitLabel="Add Payment"
      columns={2}
      schema={paymentForm}
      fields={fields}
      onSubmit={async (values) => {
        await add({ params: { id: requisitionId }, body: toPaymentInput(values) })
        setCount(count + 1)
      }}
    />
  )
}
