import {
  type InstrumentCode,
  instrumentResultLabels as label,
  instrumentResultRoutes as routes,
} from '@lis/contract/instrument-results.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import Button from '@mui/material/Button'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const codeOf = ({ instrumentCode }: InstrumentCode) => instrumentCode
const schema = routes.saveCodes.body.shape.codes.element

interface CodesCardProps {
  instrumentId: number
  mayEdit: boolean
}

/** The codes and units of the instrument for our tests. */
export const CodesCard = ({ instrumentId, mayEdit }: CodesCardProps) => {
  const params = { id: instrumentId }
  const options = read(routes.codes, { params })
  const client = useQueryClient()
  const [editing, setEditing] = useState<{ row: InstrumentCode | null } | null>(null)
  const save = useSave(routes.saveCodes, { isImmediate: true })
  const tests = useQuery(read(lookupRoutes.defaultTests, { query: {} })).data?.data
  /** The table as it is now: somebody else may have changed it. */
  const change = async (changed: (rows: readonly InstrumentCode[]) => readonly InstrumentCode[]) => {
    const { data } = await client.fetchQuery({ ...options, staleTime: 0 })
    await save({ params, body: { codes: [...changed(data)] } })
  }
  const remove = (gone: InstrumentCode) =>
    // The failure has been announced.
    change((rows) => rows.filter((row) => codeOf(row) !== codeOf(gone))).catch(() => undefined)
  const columns = columnsOf(mayEdit ? { onEdit: (row) => setEditing({ row }), onRemove: remove } : null)
  const testOptions = useMemo(
    () => (tests ?? []).map(({ testCode, testDesc }) => ({ value: testCode, label: `${testCode}, ${testDesc}` })),
    [tests],
  )
  return (
    <>
      <CardTable
        title="Codes"
        query={useQuery(options)}
        columns={columns}
        rowId={codeOf}
        rowName={codeOf}
        empty="No codes yet: every result of this instrument is held."
        actions={
          mayEdit && (
            <Button startIcon={<PlusIcon />} onClick={() => setEditing({ row: null })}>
              Add code
            </Button>
          )
        }
      />
      {editing && (
        <FormDialog
          title={editing.row ? 'Edit code' : 'Add code'}
          submitLabel={editing.row ? 'Save' : 'Add'}
          columns={2}
          schema={schema}
          {...(editing.row && { values: { ...editing.row } })}
          fields={[
            {
              name: 'instrumentCode',
              label: label.instrumentCode,
              kind: 'text',
              isRequired: true,
              isWide: true,
              hint: 'As in R-3 or OBX-3',
            },
            {
              name: 'testCode',
              label: label.testCode,
              kind: 'autocomplete',
              isRequired: true,
              isWide: true,
              options: testOptions,
            },
            { name: 'units', label: label.units, kind: 'text', hint: 'Another unit is held, never converted' },
            { name: 'decimals', label: label.decimals, kind: 'number', hint: 'Shown for control values' },
          ]}
          onSubmit={(row) =>
            change((rows) => [
              ...rows.filter(
                (one) => codeOf(one) !== row.instrumentCode && codeOf(one) !== editing.row?.instrumentCode,
              ),
              row,
            ])
          }
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

interface Actions {
  onEdit: (row: InstrumentCode) => void
  onRemove: (row: InstrumentCode) => void
}

const columnsOf = (actions: Actions | null): readonly Column<InstrumentCode>[] => [
  {
    key: 'instrumentCode',
    header: label.instrumentCode,
    width: 160,
    card: 'title',
    cell: ({ instrumentCode }) => <span className="strong">{instrumentCode}</span>,
  },
  { key: 'testCode', header: label.testCode, width: 120, cell: ({ testCode }) => testCode },
  { key: 'units', header: label.units, width: 120, cell: ({ units }) => units },
  { key: 'decimals', header: label.decimals, width: 90, align: 'right', cell: ({ decimals }) => decimals },
  ...(actions
    ? [
        {
          key: 'actions',
          header: 'Actions',
          width: 150,
          cell: (row: InstrumentCode) => (
            <>
              <Button size="small" variant="text" onClick={() => actions.onEdit(row)}>
                Edit
              </Button>
              <Button
                size="small"
                variant="text"
                color="error"
                aria-label={`Remove ${row.instrumentCode}`}
                onClick={() => actions.onRemove(row)}
              >
                Remove
              </Button>
            </>
          ),
        },
      ]
    : []),
]
