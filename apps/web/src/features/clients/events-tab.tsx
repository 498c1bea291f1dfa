import {
  type ClientEvent,
  clientRecordRoutes,
  eventFields,
  eventLabels as label,
} from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { useMemo, useState } from 'react'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { EditIcon, MoreIcon } from '../../ui/icons.tsx'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { AddButton } from './add-button.tsx'
import { RowButton } from './row-button.tsx'

const columnsFor = (onEdit: (event: ClientEvent) => void): readonly Column<ClientEvent>[] => [
  { key: 'eventName', header: label.eventName, width: 320, cell: ({ eventName }) => <strong>{eventName}</strong> },
  { key: 'programName', header: label.programName, width: 200, cell: ({ programName }) => programName },
  {
    key: 'actions',
    header: 'Actions',
    HeaderIcon: MoreIcon,
    width: 56,
    isSticky: 'right',
    visibleTo: 'clients.write',
    cell: (event) => <RowButton label={`Edit ${event.eventName}`} Glyph={EditIcon} onClick={() => onEdit(event)} />,
  },
]
const nameOf = ({ eventName }: ClientEvent) => eventName

const fields: readonly FieldDef[] = [
  { name: 'eventName', label: label.eventName, kind: 'text', isRequired: true },
  { name: 'programId', label: label.programName, kind: 'select', lookup: 'programs', isRequired: true },
]

export const EventsTab = ({ client: { id } }: { client: Client }) => {
  const [edited, setEdited] = useState<ClientEvent | 'new' | null>(null)
  const columns = useMemo(() => columnsFor(setEdited), [])
  return (
    <>
      <TableCard
        title="Events"
        itemName="event"
        resource={clientRoutes.list.path}
        route={clientRecordRoutes.events}
        params={{ id }}
        columns={columns}
        rowName={nameOf}
        removeRoute={clientRecordRoutes.removeEvents}
        actions={<AddButton label="Add event" onClick={() => setEdited('new')} />}
        emptyText="Screenings and other occasions that requisitions can be ordered for."
      />
      {edited !== null && (
        <EventDialog clientId={id} event={edited === 'new' ? undefined : edited} onClose={() => setEdited(null)} />
      )}
    </>
  )
}

interface EventDialogProps {
  clientId: number
  /** The one to be changed; a new one without it. */
  event: ClientEvent | undefined
  onClose: () => void
}

const EventDialog = ({ clientId, event, onClose }: EventDialogProps) => {
  const add = useSave(clientRecordRoutes.addEvent)
  const update = useSave(clientRecordRoutes.updateEvent)
  return (
    <FormDialog
      title={event ? event.eventName : 'Add event'}
      submitLabel={event ? 'Update' : 'Add'}
      schema={eventFields}
      fields={fields}
      values={event}
      version={event?.version}
      onSubmit={(body, { version }): Promise<unknown> =>
        event
          ? update({ params: { id: clientId, recordId: event.id }, body, headers: ifMatch(version) })
          : add({ body: { ...body, clientId } })
      }
      onClose={onClose}
    />
  )
}
