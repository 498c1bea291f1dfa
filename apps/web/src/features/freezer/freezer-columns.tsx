import { can, type Permission } from '@lis/contract/access/permissions.ts'
import { type FreezerSpec, freezerSpecLabels, locationLabels, slotName } from '@lis/contract/spec-locations.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const Cell = styled(Link)({ color: 'var(--link)', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } })

/** A link for users who may open it. */
const PermittedLink = ({ to, needs, text }: { to: string; needs: Permission; text: string | number }) =>
  can(useRole(), needs) ? <Cell to={to}>{text}</Cell> : text

export const freezerColumns: readonly Column<FreezerSpec>[] = [
  {
    key: 'freezer',
    header: locationLabels.sampleStorageCode,
    sort: 'sampleStorageCode',
    width: 240,
    cell: (spec) => (
      <>
        {spec.sampleStorageDesc} <span className="muted">{spec.labName}</span>
      </>
    ),
  },
  { key: 'shelf', header: locationLabels.shelf, sort: 'shelf', width: 72, cell: (spec) => spec.shelf },
  { key: 'rack', header: locationLabels.rack, sort: 'rack', width: 72, cell: (spec) => spec.rack },
  { key: 'box', header: locationLabels.box, sort: 'box', width: 72, cell: (spec) => spec.box },
  {
    key: 'slot',
    header: locationLabels.slot,
    sort: 'slot',
    width: 64,
    card: 'head',
    cell: (spec) => <span className="strong">{slotName(spec)}</span>,
  },
  {
    key: 'reqId',
    header: freezerSpecLabels.reqId,
    sort: 'reqId',
    width: 88,
    cell: ({ reqId }) => (
      <PermittedLink to={`/requisitions/${reqId}/show/locations`} needs="requisitions.link" text={reqId} />
    ),
  },
  {
    key: 'client',
    header: freezerSpecLabels.clientName,
    sort: 'clientName',
    width: 180,
    cell: ({ clientId, clientName }) => (
      <PermittedLink to={`/clients/${clientId}/show`} needs="clients.read" text={clientName} />
    ),
  },
  {
    key: 'physician',
    header: freezerSpecLabels.physName,
    sort: 'physName',
    width: 150,
    cell: ({ physId, physName }) => (
      <PermittedLink to={`/physicians/${physId}/show`} needs="physicians.read" text={physName} />
    ),
  },
  {
    key: 'patient',
    header: freezerSpecLabels.patientName,
    sort: 'patientLastName',
    width: 160,
    card: 'title',
    cell: (spec) => (
      <span className="strong">
        {spec.patientLastName}, {spec.patientFirstName}
      </span>
    ),
  },
  {
    key: 'collected',
    header: freezerSpecLabels.dateCollected,
    sort: 'dateCollected',
    width: 140,
    cell: (spec) => (
      <Timestamp at={spec.dateCollected} zone={spec.collectedTz} also={[{ label: 'Lab', zone: spec.labTz }]} />
    ),
  },
  {
    key: 'received',
    header: freezerSpecLabels.dateReceived,
    sort: 'dateReceived',
    width: 140,
    cell: (spec) => spec.dateReceived && <Timestamp at={spec.dateReceived} zone={spec.labTz} />,
  },
]

export const freezerFilters: readonly FieldDef[] = [
  { name: 'sampleStorageCode', label: locationLabels.sampleStorageCode, kind: 'text' },
  { name: 'shelf', label: locationLabels.shelf, kind: 'text' },
  { name: 'rack', label: locationLabels.rack, kind: 'text' },
  { name: 'box', label: locationLabels.box, kind: 'text' },
  { name: 'reqId', label: freezerSpecLabels.reqId, kind: 'number' },
  { name: 'clientId', label: freezerSpecLabels.clientName, kind: 'autocomplete', lookup: 'filterClients' },
  { name: 'physId', label: freezerSpecLabels.physName, kind: 'autocomplete', lookup: 'filterPhysicians' },
  { name: 'patientName', label: freezerSpecLabels.patientName, kind: 'text' },
  { name: 'dateCollected', label: freezerSpecLabels.dateCollected, kind: 'dateRange' },
  { name: 'dateReceived', label: freezerSpecLabels.dateReceived, kind: 'dateRange' },
]
