import { type ClientRow, clientLabels } from '@lis/contract/clients.ts'
import type { PhysicianClient } from '@lis/contract/physicians.ts'
import { formatPhone } from '../../lib/formats.ts'
import type { Column } from '../../ui/table/column.ts'

type AnyClient = PhysicianClient | ClientRow

/** PHY-G6, for the clients of a physician and for those that can be chosen. */
export const clientColumns: readonly Column<AnyClient>[] = [
  {
    key: 'legacyClientId',
    header: clientLabels.legacyClientId,
    width: 120,
    cell: ({ legacyClientId }) => legacyClientId,
  },
  {
    key: 'clientName',
    header: clientLabels.clientName,
    width: 240,
    card: 'title',
    cell: ({ clientName }) => <span className="strong">{clientName}</span>,
  },
  { key: 'clientPhone', header: clientLabels.clientPhone, width: 150, cell: (client) => phoneOf(client) },
  { key: 'clientCity', header: clientLabels.clientCity, width: 140, cell: ({ clientCity }) => clientCity },
  { key: 'clientState', header: 'State', width: 130, cell: ({ clientState }) => clientState },
]

const phoneOf = ({ clientPhone }: AnyClient) => formatPhone(clientPhone ?? null)

export const clientName = ({ clientName: name, legacyClientId }: AnyClient) => `${name} (${legacyClientId})`
