import {
  type DueSample,
  discardReason,
  freezerRoutes,
  locationLabels as label,
  slotName,
} from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Table } from '../../ui/table/table.tsx'
import { TrashIcon } from '../../ui/table/table-icons.tsx'
import { useRowSelection } from '../../ui/table/table-model.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { FreezerLabPage } from './freezer-lab-page.tsx'

/** Samples that have been kept as long as the rule of their type says. */
export const DiscardListPage = () => (
  <FreezerLabPage title="Discard List">
    {(labId, labChoice) => <DiscardList labId={labId} labChoice={labChoice} />}
  </FreezerLabPage>
)

const Body = styled('div')({
  flex: '1 1 auto',
  minHeight: 0,
  display: 'flex',
  flexDirection: 'column',
  gap: 8,
  padding: '0 16px 16px',
  '& .toolbar': { display: 'flex', alignItems: 'end', gap: 8, minHeight: 32 },
  '& .toolbar > .lab': { width: 220 },
})

/** The most that one call takes. */
const mostAtOnce = 1300
const idOf = ({ id }: DueSample) => String(id)
const nameOf = (sample: DueSample) =>
  `${sample.specLocTypeDesc} of #${sample.reqId} in ${slotName(sample)} of box ${sample.box}`
const empty = (
  <EmptyState title="Nothing to discard">
    No sample is older than the retention rule of its type, which is on the page of the laboratory. Samples of
    requisitions that are not reported stay.
  </EmptyState>
)

const DiscardList = ({ labId, labChoice }: { labId: number; labChoice: ReactNode }) => {
  const { data, error, refetch, isFetching } = useQuery(readList(freezerRoutes.discardList, { labId }, allRows))
  const selection = useRowSelection(data?.data, idOf)
  const [isDiscarding, setDiscarding] = useState(false)
  const discard = useSave(freezerRoutes.discardDue, { failure: 'error' })
  const { rows } = selection
  return (
    <Body>
      <div className="toolbar">
        {labChoice && <div className="lab">{labChoice}</div>}
        {rows.length > 0 && (
          <Button
            color="error"
            startIcon={<TrashIcon />}
            disabled={rows.length > mostAtOnce}
            onClick={() => setDiscarding(true)}
          >
            Discard {rows.length} selected
          </Button>
        )}
        {rows.length > mostAtOnce && <span role="status">At most {mostAtOnce} at once</span>}
      </div>
      <Table
        label="Discard List"
        columns={columns}
        rows={data?.data}
        rowId={idOf}
        rowName={nameOf}
        selection={selection}
        isBusy={isFetching}
        state={error ? <LoadFailed error={error} onRetry={() => refetch()} /> : data?.data.length === 0 && empty}
      />
      {isDiscarding && (
        <FormDialog
          title={`Discard ${rows.length === 1 ? '1 sample' : `${rows.length} samples`}?`}
          submitLabel="Discard"
          isSubmitRisky
          schema={discardReason}
          fields={reasonFields}
          intro={<span>{introOf(rows)}</span>}
          onSubmit={async ({ reason }) => {
            await discard({ params: { labId }, body: { ids: rows.map(({ id }) => id), reason } })
            selection.clear()
          }}
          onClose={() => setDiscarding(false)}
        />
      )}
    </Body>
  )
}

const reasonFields: readonly FieldDef[] = [{ name: 'reason', label: 'Reason', kind: 'text', isRequired: true }]

const introOf = (rows: readonly DueSample[]) => {
  const count = new Set(rows.map(({ reqId }) => reqId)).size
  const boxes = [
    ...new Set(
      rows.map(({ sampleStorageCode, shelf, rack, box }) => [sampleStorageCode, shelf, rack, box].join(' › ')),
    ),
  ]
  const few = boxes.slice(0, 5).join(', ')
  const more = boxes.length > 5 ? ` and ${boxes.length - 5} more` : ''
  return `Of ${count === 1 ? '1 requisition' : `${count} requisitions`}, in ${boxes.length === 1 ? 'box' : 'boxes'} ${few}${more}. Their slots become free.`
}

const columns: readonly Column<DueSample>[] = [
  { key: 'type', header: label.specLocTypeCode, width: 140, card: 'title', cell: (row) => row.specLocTypeDesc },
  {
    key: 'reqId',
    header: 'Req id',
    width: 90,
    card: 'head',
    cell: ({ reqId }) => <Link to={`/requisitions/${reqId}/show/locations`}>#{reqId}</Link>,
  },
  { key: 'freezer', header: label.sampleStorageCode, width: 120, cell: (row) => row.sampleStorageCode },
  { key: 'shelf', header: label.shelf, width: 64, cell: (row) => row.shelf },
  { key: 'rack', header: label.rack, width: 64, cell: (row) => row.rack },
  { key: 'box', header: label.box, width: 64, cell: (row) => row.box },
  { key: 'slot', header: label.slot, width: 64, cell: (row) => <span className="strong">{slotName(row)}</span> },
  {
    key: 'placed',
    header: label.placedDate,
    width: 140,
    cell: (row) => <Timestamp at={row.placedDate} zone={row.labTz} />,
  },
  {
    key: 'due',
    header: label.dueDate,
    width: 140,
    cell: (row) => <Timestamp at={row.dueDate} zone={row.labTz} />,
  },
  {
    key: 'days',
    header: 'Kept for',
    width: 90,
    align: 'right',
    cell: ({ days }) => (days === 1 ? '1 day' : `${days} days`),
  },
]
