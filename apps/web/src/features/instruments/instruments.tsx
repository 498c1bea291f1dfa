import { can } from '@lis/contract/access/permissions.ts'
import { type Instrument, instrumentLabels, instrumentRoutes, instrumentTopic } from '@lis/contract/instruments.ts'
import { Link } from 'react-router'
import type { Resource } from '../../domain/resource/resource.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { useRole } from '../../lib/session.ts'
import { useLive } from '../../lib/use-live.ts'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { CodesCard } from './codes-card.tsx'
import { ControlsCard } from './controls-card.tsx'
import { FileCard } from './file-card.tsx'
import { ClockOffset, LinkTag } from './link-tag.tsx'
import { MessagesCard } from './messages-card.tsx'
import { StatusCard } from './status-card.tsx'
import { WorkListCard } from './work-list-card.tsx'

const label = instrumentLabels

const instruments: Resource<Instrument, Instrument> = {
  kind: 'instrument',
  path: 'instruments',
  title: 'Instruments',
  itemTitle: 'Instrument',
  permission: 'instruments.write',
  routes: instrumentRoutes,
}
const nameOf = ({ name }: Instrument) => name
const live = [instrumentRoutes.list, instrumentRoutes.one]

const protocols = [
  { value: 'ASTM', label: 'ASTM (LIS2-A2)' },
  { value: 'HL7', label: 'HL7 version 2 (MLLP)' },
  { value: 'FILE', label: 'Files (CSV)' },
]
const protocolText = (code: string) => protocols.find(({ value }) => value === code)?.label
const placeOf = ({ host, port }: Instrument) =>
  port === null ? null : host === null ? `Port ${port}` : `${host}:${port}`

const columns: readonly Column<Instrument>[] = [
  {
    key: 'name',
    header: label.name,
    sort: 'name',
    width: 190,
    isSticky: true,
    card: 'title',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  {
    key: 'linkState',
    header: 'Connection',
    width: 120,
    card: 'head',
    cell: ({ linkState }) => <LinkTag state={linkState} />,
  },
  { key: 'linkMessage', header: 'Last message', width: 260, cell: ({ linkMessage }) => linkMessage },
  {
    key: 'lastSeenAt',
    header: 'Last seen',
    width: 150,
    cell: ({ lastSeenAt }) => lastSeenAt && <Timestamp at={lastSeenAt} />,
  },
  {
    key: 'clockOffsetSec',
    header: 'Clock offset',
    width: 110,
    cell: ({ clockOffsetSec }) => <ClockOffset seconds={clockOffsetSec} />,
  },
  {
    key: 'protocol',
    header: label.protocol,
    sort: 'protocol',
    width: 150,
    cell: ({ protocol }) => protocolText(protocol),
  },
  { key: 'place', header: 'Address', width: 150, cell: placeOf },
  { key: 'labName', header: label.labId, width: 170, cell: ({ labName }) => labName },
  { key: 'model', header: label.model, sort: 'model', width: 140, cell: ({ model }) => model },
  {
    key: 'serialNumber',
    header: label.serialNumber,
    sort: 'serialNumber',
    width: 120,
    cell: ({ serialNumber }) => serialNumber,
  },
  {
    key: 'isActive',
    header: label.isActive,
    sort: 'isActive',
    width: 80,
    cell: ({ isActive }) => (isActive === 1 ? 'Yes' : 'No'),
  },
]

const filters: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text' },
  { name: 'labId', label: label.labId, kind: 'select', lookup: 'labs' },
  { name: 'protocol', label: label.protocol, kind: 'select', options: protocols },
  {
    name: 'isActive',
    label: label.isActive,
    kind: 'select',
    options: [
      { value: 1, label: 'Yes' },
      { value: 0, label: 'No' },
    ],
  },
]

const isUnconnected = ({ protocol }: Record<string, unknown>) => protocol === 'FILE'

const fields: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text', isRequired: true },
  { name: 'labId', label: label.labId, kind: 'select', lookup: 'labs', isRequired: true, selectsOnlyOption: true },
  { name: 'model', label: label.model, kind: 'text' },
  { name: 'serialNumber', label: label.serialNumber, kind: 'text' },
  { name: 'protocol', label: label.protocol, kind: 'select', options: protocols, isRequired: true, initial: 'ASTM' },
  {
    name: 'host',
    label: label.host,
    kind: 'text',
    isHidden: isUnconnected,
    hint: 'Where we connect to; left empty, the instrument connects to us',
  },
  {
    name: 'port',
    label: label.port,
    kind: 'number',
    isHidden: isUnconnected,
    hint: 'Of the host, or the one on which we listen for this instrument alone',
  },
  { name: 'isActive', label: label.isActive, kind: 'singleCheckbox', initial: 1 },
]
const schema = instrumentRoutes.create.body

export const InstrumentListPage = () => {
  useLive(instrumentTopic, live)
  return (
    <ResourceListPage
      resource={instruments}
      searchLabel="Search instruments"
      columns={columns}
      filters={filters}
      rowName={nameOf}
    />
  )
}

export const InstrumentCreatePage = () => (
  <ResourceCreatePage resource={instruments} title="Instrument" schema={schema} fields={fields} />
)

export const InstrumentEditPage = () => (
  <ResourceEditPage resource={instruments} titleOf={nameOf} subjectOf={nameOf} schema={schema} fields={fields} />
)

export const InstrumentShowPage = () => {
  useLive(instrumentTopic, live)
  return (
    <ResourceShowPage resource={instruments} titleOf={nameOf} isWide>
      {(instrument) => <Cards instrument={instrument} />}
    </ResourceShowPage>
  )
}

const Cards = ({ instrument }: { instrument: Instrument }) => {
  const { id, linkState, linkMessage, lastSeenAt, clockOffsetSec, protocol, labName, labZone } = instrument
  const mayEdit = can(useRole(), 'instruments.write')
  return (
    <>
      {linkState === 'ERROR' && <Banner type="error">{linkMessage ?? 'The connection has failed.'}</Banner>}
      <CardGrid>
        <Card title="Connection" actions={<Link to={`/review?instrumentId=${id}`}>Results that wait</Link>}>
          <InfoList
            items={[
              ['State', <LinkTag key="state" state={linkState} />],
              ['Last message', linkMessage],
              ['Last seen', lastSeenAt && <Timestamp key="seen" at={lastSeenAt} zone={labZone} />],
              ['Clock offset', <ClockOffset key="clock" seconds={clockOffsetSec} />],
              [label.protocol, protocolText(protocol)],
              ['Address', placeOf(instrument)],
            ]}
          />
        </Card>
        <Card title="About">
          <InfoList
            items={[
              [label.labId, labName],
              ['Timezone', labZone],
              [label.model, instrument.model],
              [label.serialNumber, instrument.serialNumber],
              [label.isActive, instrument.isActive === 1 ? 'Yes' : 'No'],
            ]}
          />
        </Card>
      </CardGrid>
      {protocol === 'FILE' && <FileCard instrumentId={id} mayEdit={mayEdit} />}
      <StatusCard instrumentId={id} />
      <CodesCard instrumentId={id} mayEdit={mayEdit} />
      <ControlsCard instrumentId={id} mayEdit={mayEdit} />
      <WorkListCard instrument={instrument} />
      <MessagesCard instrumentId={id} labZone={labZone} />
    </>
  )
}
