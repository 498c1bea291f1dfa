import { can } from '@lis/contract/access/permissions.ts'
import { formatMoney } from '@lis/contract/money.ts'
import { type Account, paymentRoutes } from '@lis/contract/payments.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useSetStatus } from '../../domain/use-set-status.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'

const Sums = styled('table')({
  marginTop: 4,
  width: '100%',
  borderCollapse: 'collapse',
  fontVariantNumeric: 'tabular-nums',
  '& td, & th': { padding: '4px 0', fontWeight: 400, textAlign: 'left' },
  '& td': { textAlign: 'right' },
  '& .muted': { color: 'var(--text-3)' },
  '& tr.sum > *': { borderTop: '1px solid var(--line-strong)', fontWeight: 600 },
})

const Note = styled('p')({ margin: '8px 0 0', fontSize: 12, lineHeight: '16px', color: 'var(--text-3)' })

/** Charges, payments, and the balance. */
export const AccountCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const query = useQuery(read(paymentRoutes.account, { params: { id: requisition.id } }))
  const maySetStatus = can(useRole(), 'requisitions.editStatus')
  return (
    <Card title="Balance">
      <Loaded query={query}>
        {({ data }) => (
          <>
            {maySetStatus && data.paidStatusCode && <PaidInFull requisition={requisition} to={data.paidStatusCode} />}
            <AccountTable account={data} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** A payment does not change the status: the user confirms that the bill is paid. */
const PaidInFull = ({ requisition, to }: { requisition: RequisitionDetail; to: StatusCode }) => {
  const { moving, setStatus } = useSetStatus(requisition)
  return (
    <Banner type="info">
      Paid in full.{' '}
      <ActionButton isBusy={moving !== null} onClick={() => void setStatus(to)}>
        Set status: {statusOf(to).description}
      </ActionButton>
    </Banner>
  )
}

const AccountTable = ({ account: { charges, balances, missingPrices, isBilled, isFrozen } }: { account: Account }) => (
  <>
    {missingPrices.length > 0 && (
      <Banner type="warning">No price for {missingPrices.join(', ')}; not in the sums.</Banner>
    )}
    <Sums aria-label="Balance">
      <tbody>
        {charges.map(({ testId, testCode, amount, currencyCode }) => (
          <tr key={testId}>
            <th scope="row">{testCode}</th>
            <td>{amount === null ? 'No price' : formatMoney({ amount, currencyCode: currencyCode ?? 'USD' })}</td>
          </tr>
        ))}
        {balances.map(({ currencyCode, charged, paid, adjusted, balance }) => [
          <tr key={`${currencyCode} charged`} className="sum">
            <th scope="row">{isBilled === 1 ? 'Charged' : 'To be charged'}</th>
            <td>{formatMoney({ amount: charged, currencyCode })}</td>
          </tr>,
          <tr key={`${currencyCode} paid`}>
            <th scope="row">Paid</th>
            <td>{formatMoney({ amount: paid, currencyCode })}</td>
          </tr>,
          Number(adjusted) !== 0 && (
            <tr key={`${currencyCode} adjusted`}>
              <th scope="row">Written off</th>
              <td>{formatMoney({ amount: adjusted, currencyCode })}</td>
            </tr>
          ),
          <tr key={`${currencyCode} balance`} className="sum">
            <th scope="row">Balance</th>
            <td>{formatMoney({ amount: balance, currencyCode })}</td>
          </tr>,
        ])}
        {charges.length === 0 && balances.length === 0 && (
          <tr>
            <th scope="row" className="muted">
              No test to bill yet
            </th>
          </tr>
        )}
      </tbody>
    </Sums>
    {isBilled === 1 && isFrozen === 0 && balances.some(({ charged }) => Number(charged) !== 0) && (
      <Note>Amounts at today's prices: no batch has kept what was charged.</Note>
    )}
  </>
)
