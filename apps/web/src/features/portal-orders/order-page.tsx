import { type OrderOptions, portalOrderRoutes } from '@lis/contract/portal-orders.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { ApiError } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import { Loaded, RecordPage } from '../../ui/form/record-page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { OrderForm } from './order-form.tsx'
import { PlacedOrder } from './placed-order.tsx'

/** Where a practice orders tests. */
export const OrderPage = () => {
  const [params, setParams] = useSearchParams()
  const clientId = Number(params.get('clientId')) || undefined
  const query = useQuery(read(portalOrderRoutes.options, { query: { clientId } }))
  const [placed, setPlaced] = useState<number | null>(null)
  if (query.error instanceof ApiError && query.error.status === 403)
    return (
      <RecordPage title="Order Tests">
        <EmptyState
          title="Ordering is not open for your practice"
          actions={
            <Button component={Link} to="/">
              Back to Home
            </Button>
          }
        >
          {query.error.message}
        </EmptyState>
      </RecordPage>
    )
  return (
    <RecordPage title="Order Tests">
      <Loaded query={query}>
        {({ data }: { data: OrderOptions }) =>
          placed !== null ? (
            <PlacedOrder id={placed} onNext={() => setPlaced(null)} />
          ) : (
            <>
              {data.clients.length > 1 && (
                <PracticeChoice
                  options={data}
                  onChoose={(id) => setParams(id ? { clientId: String(id) } : {}, { replace: true })}
                />
              )}
              {data.clientId !== null && (
                <OrderForm
                  key={data.clientId}
                  options={data}
                  preset={(params.get('tests') ?? '').split(',').filter(Boolean)}
                  onPlaced={setPlaced}
                />
              )}
            </>
          )
        }
      </Loaded>
    </RecordPage>
  )
}

const PracticeChoice = ({ options, onChoose }: { options: OrderOptions; onChoose: (id: unknown) => void }) => (
  <Card title="Practice">
    <FieldInput
      field={{
        name: 'clientId',
        label: 'Client',
        kind: 'select',
        isRequired: true,
        options: options.clients.map(({ clientId, clientName }) => ({ value: clientId, label: clientName })),
      }}
      value={options.clientId ?? ''}
      onChange={onChoose}
    />
  </Card>
)
