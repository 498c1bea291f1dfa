import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type RequisitionHistory, requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { signOutRoutes } from '@lis/contract/sign-out.ts'
import { styled } from '@mui/material/styles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ChangeTable } from '../../domain/change-table.tsx'
import { openFile } from '../../domain/open-file.ts'
import { formatTimestamp } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Checkbox } from '../../ui/form/toggles.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { readList } from '../../ui/table/read-list.ts'
import { TableFooter } from '../../ui/table/table-footer.tsx'
import { Timestamp, useZone } from '../../ui/timestamp.tsx'

const columns: Column<RequisitionHistory>[] = [
  { key: 'date', header: 'Date', width: 150, cell: (row) => <Timestamp at={row.modifiedDate} /> },
  { key: 'action', header: 'Action', width: 180, cell: (row) => row.reqActionDesc, card: 'title' },
  { key: 'by', header: 'By', width: 160, cell: (row) => row.modifiedByName },
  { key: 'what', header: 'What', width: 420, cell: (row) => <Summary row={row} /> },
]
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** Formats timestamps as everywhere else. */
const readable = (value: string, zone: string) => {
  if (!timestampPattern.test(value)) return value
  return Object.values(formatTimestamp(value, zone)).join(' ')
}
/** Old and new values, field by field. */
const changesOf = ({ newData, oldData, reason }: RequisitionHistory, zone: string) => {
  const before = new Map(oldData.map((entry) => [entry.key, readable(entry.value, entry.zone ?? zone)]))
  const after = new Map(newData.map((entry) => [entry.key, readable(entry.value, entry.zone ?? zone)]))
  const changes = [...new Set([...before.keys(), ...after.keys()])].map((label) => ({
    label,
    from: before.get(label) ?? null,
    to: after.get(label) ?? null,
  }))
  return reason === null ? changes : [...changes, { label: 'Reason', from: null, to: reason }]
}
const Summary = ({ row }: { row: RequisitionHistory }) => (
  <span className="long">
    {changesOf(row, useZone())
      .map(({ label, from, to }) => {
        if (to === null) return `${label} removed: ${from}`
        return `${label}: ${from === null ? '' : `${from} to `}${to}`
      })
      .join('; ')}
  </span>
)
const Changes = ({ row }: { row: RequisitionHistory }) => <ChangeTable changes={changesOf(row, useZone())} />
const idOf = ({ id }: RequisitionHistory) => String(id)
const nameOf = ({ reqActionDesc, modifiedByName }: RequisitionHistory) => `${reqActionDesc} by ${modifiedByName}`
const renderChanges = (row: RequisitionHistory) => <Changes row={row} />

const Choice = styled('label')({ display: 'flex', alignItems: 'center', gap: 8, marginRight: 8, cursor: 'pointer' })

/** Everything about this requisition in one ZIP. */
const DossierButton = ({ id }: { id: number }) => {
  const [isBusy, setBusy] = useState(false)
  const save = useSave(signOutRoutes.dossier)
  const download = async () => {
    setBusy(true)
    const made = await save({ params: { id }, body: {} }).catch(() => null)
    setBusy(false)
    if (made) openFile(made.data.url)
  }
  return (
    <ActionButton isBusy={isBusy} onClick={download}>
      Download dossier
    </ActionButton>
  )
}

/** The audit history of this requisition; an expanded row shows old and new values. */
export const ActivityTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const [isStatusOnly, setStatusOnly] = useState(false)
  const mayMakeDossier = can(useRole(), 'signOut.read')
  const [page, setPage] = useState(1)
  const [perPage, setPerPage] = useState(10)
  const query = useQuery({
    ...readList(
      requisitionRecordRoutes.history,
      { id: requisition.id },
      {
        page,
        perPage,
        filters: isStatusOnly ? { reqActionCode: 'STATUS' } : {},
        sort: null,
      },
    ),
    placeholderData: keepPreviousData,
  })
  return (
    <CardTable
      title="History"
      actions={
        <>
          {mayMakeDossier && <DossierButton id={requisition.id} />}
          <Choice>
            <Checkbox
              checked={isStatusOnly}
              onChange={(event) => {
                setStatusOnly(event.target.checked)
                setPage(1)
              }}
            />
            Show only the Status change
          </Choice>
        </>
      }
      columns={columns}
      query={query}
      rowId={idOf}
      rowName={nameOf}
      renderSubTable={renderChanges}
      empty={isStatusOnly ? 'Its status has not changed yet.' : 'Nothing has happened yet.'}
      footer={
        <TableFooter
          paging={{
            page,
            perPage,
            perPageOptions: [10, 25, 50, 75, 100],
            total: query.data?.total,
            onPage: setPage,
            onPerPage: (rows) => {
              setPerPage(rows)
              setPage(1)
            },
          }}
        />
      }
    />
  )
}
