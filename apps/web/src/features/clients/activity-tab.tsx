import { type ClientHistory, clientRecordRoutes, clientRecordLabels as label } from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { ChangeTable } from '../../domain/change-table.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

type Change = ClientHistory['changes'][number]

const columns: readonly Column<ClientHistory>[] = [
  {
    key: 'modifiedDate',
    header: label.modifiedDate,
    width: 150,
    cell: ({ modifiedDate }) => <Timestamp at={modifiedDate} />,
  },
  {
    key: 'auditActionDesc',
    header: label.auditActionDesc,
    width: 150,
    card: 'title',
    cell: ({ auditActionDesc }) => <strong>{auditActionDesc}</strong>,
  },
  { key: 'modifiedByName', header: label.modifiedByName, width: 150, cell: ({ modifiedByName }) => modifiedByName },
  { key: 'changes', header: 'Changes', width: 360, cell: ({ changes }) => changes.map(describeChange).join('; ') },
]

/** 'City: Salem → Portland'; a new record has only new values, a removed one only old ones. */
const describeChange = ({ label: name, from, to }: Change): string => {
  if (from === null) return `${name}: ${to}`
  return `${name}: ${from} → ${to ?? '–'}`
}
const nameOf = ({ auditActionDesc, modifiedDate }: ClientHistory) => `${auditActionDesc} ${modifiedDate}`
const renderChanges = ({ changes }: ClientHistory) => <ChangeTable changes={changes} />

/** The history of the client and its records: what changed, by whom and when. */
export const ActivityTab = ({ client: { id } }: { client: Client }) => (
  <TableCard
    title="Activity"
    itemName="entry"
    resource={clientRoutes.list.path}
    route={clientRecordRoutes.histories}
    params={{ id }}
    columns={columns}
    rowName={nameOf}
    renderSubTable={renderChanges}
    emptyText="Nothing has been changed since this client came into the system."
  />
)
