import { type DeliveryPlan, deliveryRoutes } from '@lis/contract/deliveries.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { read } from '../lib/query.ts'
import { Spinner } from '../ui/spinner.tsx'
import { LoadFailed } from '../ui/table/table-states.tsx'

const List = styled('ul')({
  margin: '4px 0 8px',
  paddingLeft: 18,
  color: 'var(--text-strong)',
  overflowWrap: 'anywhere',
  '& small': { display: 'block', color: 'var(--warning)' },
})

/** What a delivery would send and to whom. */
export const useDeliveryPlan = (requisitionId: number) =>
  useQuery({ ...read(deliveryRoutes.plan, { params: { id: requisitionId } }), staleTime: 0 })

/** The recipients of a requisition's reports, with method and address. */
export const DeliveryReceivers = ({ requisitionId }: { requisitionId: number }) => {
  const { data, error, refetch } = useDeliveryPlan(requisitionId)
  if (error) return <LoadFailed error={error} onRetry={() => refetch()} />
  if (!data) return <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} />
  return <Receivers receivers={data.data.receivers} />
}

const Receivers = ({ receivers }: Pick<DeliveryPlan, 'receivers'>) => (
  <div>
    {receivers.length === 1 ? 'Receiver:' : 'Receivers:'}
    <List aria-label="Receivers">
      {receivers.map(({ name, transmitMethodDesc, recipient, problem }) => (
        <li key={`${name} ${transmitMethodDesc}`}>
          {name}, {transmitMethodDesc}
          {recipient !== name && recipient !== '' && ` to ${recipient}`}
          {problem && <small>{problem}</small>}
        </li>
      ))}
    </List>
  </div>
)
