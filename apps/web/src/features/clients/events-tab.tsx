import {
  type ClientEvent,
  clientRecordRoutes,
  eventFields,
  eventLabels as label,
} from '@lis/contract/client-records.ts'
import type { Client } from '@lis/contract/clients.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { EditableTableCard } from './editable-table-card.tsx'

const columns: readonly Column<ClientEvent>[] = [
  { key: 'eventName', header: label.eventName, width: 320, cell: ({ eventName }) => <strong>{eventName}</strong> },
  { key: 'programName', header: label.programName, width: 200, cell: ({ programName }) => programName },
]
const nameOf = ({ eventName }: ClientEvent) => eventName

const fields: readonly FieldDef[] = [
  { name: 'eventName', label: label.eventName, kind: 'text', isRequired: true },
  { name: 'programId', label: label.programName, kind: 'select', lookup: 'programs', isRequired: true },
]

export const EventsTab = ({ client: { id } }: { client: Client }) => {
  const add = useSave(clientRecordRoutes.addEvent)
  const update = useSave(clientRecordRoutes.updateEvent)
  return (
    <EditableTableCard
      title="Events"
      itemName="event"
      route={clientRecordRoutes.events}
      params={{ id }}
      columns={columns}
      rowName={nameOf}
      removeRoute={clientRecordRoutes.removeEvents}
      emptyText="No screening or other occasion yet that requisitions can be ordered for."
      addLabel="Add event"
      titleOf={nameOf}
      schema={eventFields}
      fields={fields}
      onAdd={(body) => add({ body: { ...body, clientId: id } })}
      onUpdate={(event, body, version) =>
        update({ params: { id, recordId: event.id }, body, headers: ifMatch(version) })
      }
    />
  )
}
