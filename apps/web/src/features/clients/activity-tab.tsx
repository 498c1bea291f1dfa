import { type ClientHistory, clientRecordRoutes, clientRecordLabels as label } from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { ChangeTable } from '../../domain/change-table.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import { Moment } from '../../ui/moment.tsx'
import type { Column } from '../../ui/table/column.ts'

type Change = ClientHistory['changes'][number]

const columns: readonly Column<ClientHistory>[] = [
  {
    key: 'modifiedDate',
    header: label.modifiedDate,
    width: 150,
    cell: ({ modifiedDate }) => <Moment at={modifiedDate} />,
  },
  {
    key: 'auditActionDesc',
    header: label.auditActionDesc,
    width: 150,
    card: 'title',
    cell: ({ auditActionDesc }) => <strong>{auditActionDesc}</strong>,
  },
  { key: 'modifiedByName', header: label.modifiedByName, width: 150, cell: ({ modifiedByName }) => modifiedByName },
  { key: 'changes', header: 'Changes', width: 360, cell: ({ changes }) => changes.map(inWords).join('; ') },
]

/** 'City: Salem → Portland'; of a new record only what it has, of a removed one what it had. */
const inWords = ({ label: name, from, to }: Change): string => {
  if (from === null) return `${name}: ${to}`
  return `${name}: ${from} → ${to ?? '–'}`
}
const nameOf = ({ auditActionDesc, modifiedDate }: ClientHistory) => `${auditActionDesc} ${modifiedDate}`
const renderChanges = ({ changes }: ClientHistory) => <ChangeTable changes={changes} />

/** What happened to the client and to what hangs on it: what changed, from what to what, by whom and when. */
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
