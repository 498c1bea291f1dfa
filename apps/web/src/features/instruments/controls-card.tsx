import {
  type InstrumentControl,
  instrumentResultLabels as label,
  instrumentResultRoutes as routes,
} from '@lis/contract/instrument-results.ts'
import { type QcLot, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const specimenOf = ({ specimenId }: InstrumentControl) => specimenId
const lotText = ({ materialName, level, lotNumber }: QcLot) => `${materialName}, level ${level}, lot ${lotNumber}`
const schema = routes.saveControls.body.shape.controls.element

interface ControlsCardProps {
  instrumentId: number
  mayEdit: boolean
}

/** Under which specimen numbers the instrument measures controls. */
export const ControlsCard = ({ instrumentId, mayEdit }: ControlsCardProps) => {
  const params = { id: instrumentId }
  const options = read(routes.controls, { params })
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const save = useSave(routes.saveControls, { isImmediate: true })
  const lots = useQuery(read(qualityControlRoutes.lots)).data?.data ?? []
  const change = async (changed: (rows: readonly InstrumentControl[]) => readonly InstrumentControl[]) => {
    const { data } = await client.fetchQuery({ ...options, staleTime: 0 })
    await save({ params, body: { controls: [...changed(data)] } })
  }
  const without = (gone: string) => (rows: readonly InstrumentControl[]) =>
    rows.filter(({ specimenId }) => specimenId !== gone)
  const columns: readonly Column<InstrumentControl>[] = [
    {
      key: 'specimenId',
      header: label.specimenId,
      width: 160,
      card: 'title',
      cell: ({ specimenId }) => <span className="strong">{specimenId}</span>,
    },
    {
      key: 'lotId',
      header: label.lotId,
      width: 320,
      cell: ({ lotId }) => {
        const lot = lots.find(({ id }) => id === lotId)
        return lot ? lotText(lot) : `#${lotId}`
      },
    },
    ...(mayEdit
      ? [
          {
            key: 'actions',
            header: 'Actions',
            width: 100,
            cell: ({ specimenId }: InstrumentControl) => (
              <Button
                size="small"
                variant="text"
                color="error"
                aria-label={`Remove ${specimenId}`}
                // The failure has been announced.
                onClick={() => change(without(specimenId)).catch(() => undefined)}
              >
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <>
      <CardTable
        title="Controls"
        query={useQuery(options)}
        columns={columns}
        rowId={specimenOf}
        rowName={specimenOf}
        empty="No control specimens: controls of this instrument are typed or loaded."
        actions={
          mayEdit && (
            <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
              Add control
            </Button>
          )
        }
      />
      {isAdding && (
        <FormDialog
          title="Add control"
          submitLabel="Add"
          schema={schema}
          fields={[
            {
              name: 'specimenId',
              label: label.specimenId,
              kind: 'text',
              isRequired: true,
              hint: 'As on the tube; not a number that could be a requisition',
            },
            {
              name: 'lotId',
              label: label.lotId,
              kind: 'select',
              isRequired: true,
              options: lots.map((lot) => ({ value: lot.id, label: lotText(lot) })),
            },
          ]}
          onSubmit={(row) => change((rows) => [...without(row.specimenId)(rows), row])}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
