import { can } from '@lis/contract/access/permissions.ts'
import { apiClientRoutes } from '@lis/contract/api-clients.ts'
import { type InterfacePartner, interfaceLabels, interfaceRoutes } from '@lis/contract/interfaces.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Resource } from '../../domain/resource/resource.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { CodeTableCard } from './code-table-card.tsx'

const label = interfaceLabels

const partners: Resource<InterfacePartner, InterfacePartner> = {
  kind: 'interface',
  path: 'interfaces/partners',
  title: 'Interface partners',
  itemTitle: 'Interface',
  permission: 'interfaces.manage',
  routes: interfaceRoutes,
}
const nameOf = ({ name }: InterfacePartner) => name
const yes = (flag: number) => (flag === 1 ? 'Yes' : 'No')
const ownerOf = ({ clientName, colaName }: InterfacePartner) => clientName ?? colaName

const columns: readonly Column<InterfacePartner>[] = [
  {
    key: 'name',
    header: label.name,
    sort: 'name',
    width: 220,
    isSticky: true,
    card: 'title',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  { key: 'kind', header: label.kind, sort: 'kind', width: 70, cell: ({ kind }) => kind },
  { key: 'clientName', header: label.clientId, sort: 'clientName', width: 220, cell: ({ clientName }) => clientName },
  { key: 'colaName', header: label.colaId, sort: 'colaName', width: 180, cell: ({ colaName }) => colaName },
  { key: 'isActive', header: label.isActive, sort: 'isActive', width: 80, cell: ({ isActive }) => yes(isActive) },
  { key: 'isTest', header: label.isTest, sort: 'isTest', width: 70, cell: ({ isTest }) => yes(isTest) },
  {
    key: 'sendingApp',
    header: label.sendingApp,
    sort: 'sendingApp',
    width: 170,
    cell: ({ sendingApp }) => sendingApp,
  },
  {
    key: 'sendingFacility',
    header: label.sendingFacility,
    sort: 'sendingFacility',
    width: 150,
    cell: ({ sendingFacility }) => sendingFacility,
  },
  {
    key: 'lastMessageDate',
    header: 'Last message',
    sort: 'lastMessageDate',
    width: 150,
    cell: ({ lastMessageDate }) => lastMessageDate && <Timestamp at={lastMessageDate} />,
  },
]

const kinds = [
  { value: 'HL7', label: 'HL7 version 2' },
  { value: 'FHIR', label: 'FHIR R4' },
]
const yesOrNo = [
  { value: 1, label: 'Yes' },
  { value: 0, label: 'No' },
]

const filters: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text' },
  { name: 'kind', label: label.kind, kind: 'select', options: kinds },
  { name: 'clientId', label: label.clientId, kind: 'autocomplete', lookup: 'clients' },
  { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators' },
  { name: 'isActive', label: label.isActive, kind: 'select', options: yesOrNo },
  { name: 'isTest', label: label.isTest, kind: 'select', options: yesOrNo },
]

const isFhir = ({ kind }: Values) => kind === 'FHIR'
const isHl7 = (values: Values) => !isFhir(values)

const fields: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text', isRequired: true },
  { name: 'kind', label: label.kind, kind: 'select', options: kinds, isRequired: true, initial: 'HL7' },
  {
    name: 'clientId',
    label: label.clientId,
    kind: 'autocomplete',
    lookup: 'clients',
    clears: ['colaId'],
    hint: 'Whose orders it sends; or a collaborator, whose orders name the client',
  },
  { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators', clears: ['clientId'] },
  {
    name: 'sendingApp',
    label: label.sendingApp,
    kind: 'text',
    isRequired: true,
    isHidden: isFhir,
    hint: 'MSH-3.1 of its messages',
  },
  {
    name: 'sendingFacility',
    label: label.sendingFacility,
    kind: 'text',
    isRequired: true,
    isHidden: isFhir,
    hint: 'MSH-4.1 of its messages',
  },
  {
    name: 'resultUrl',
    label: label.resultUrl,
    kind: 'text',
    isHidden: isFhir,
    hint: 'mllp://host:port or mllps://host:port; left empty: the receiver of the settings',
  },
  { name: 'apiClientId', label: label.apiClientId, kind: 'autocomplete', isRequired: true, isHidden: isHl7 },
  { name: 'isActive', label: label.isActive, kind: 'singleCheckbox', initial: 1 },
  {
    name: 'isTest',
    label: label.isTest,
    kind: 'singleCheckbox',
    hint: 'Test messages (T, D) are shown but create no order',
  },
  {
    name: 'autoAccept',
    label: label.autoAccept,
    kind: 'singleCheckbox',
    initial: 1,
    hint: 'Otherwise every order waits for approval',
  },
]
const schema = interfaceRoutes.create.body

/** With the available API clients. */
const useFields = (): readonly FieldDef[] => {
  const { data } = useQuery(read(apiClientRoutes.choices))
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return fields.map((field) => (field.name === 'apiClientId' ? { ...field, options } : field))
}

export const PartnerListPage = () => (
  <ResourceListPage
    resource={partners}
    searchLabel="Search interfaces"
    columns={columns}
    filters={filters}
    rowName={nameOf}
  />
)

export const PartnerCreatePage = () => (
  <ResourceCreatePage resource={partners} title="Interface" schema={schema} fields={useFields()} />
)

export const PartnerEditPage = () => (
  <ResourceEditPage resource={partners} titleOf={nameOf} subjectOf={nameOf} schema={schema} fields={useFields()} />
)

export const PartnerShowPage = () => (
  <ResourceShowPage resource={partners} titleOf={nameOf}>
    {(partner) => <Cards partner={partner} />}
  </ResourceShowPage>
)

const Cards = ({ partner }: { partner: InterfacePartner }) => (
  <>
    <CardGrid>
      <Card title="About">
        <InfoList
          items={[
            [label.kind, kinds.find(({ value }) => value === partner.kind)?.label],
            [partner.clientId === null ? label.colaId : label.clientId, <Owner key="owner" partner={partner} />],
            ...(partner.kind === 'FHIR'
              ? [[label.apiClientId, <ApiClientLink key="client" id={partner.apiClientId} />] as const]
              : [
                  [label.sendingApp, partner.sendingApp] as const,
                  [label.sendingFacility, partner.sendingFacility] as const,
                  [label.resultUrl, partner.resultUrl] as const,
                ]),
            [label.isActive, yes(partner.isActive)],
            [label.isTest, yes(partner.isTest)],
            [label.autoAccept, yes(partner.autoAccept)],
          ]}
        />
      </Card>
      <Card title="Messages" actions={<Link to={`/interfaces?interfaceId=${partner.id}`}>Open the desk</Link>}>
        <InfoList
          items={[
            ['In, 24 hours', partner.inCount],
            ['Out, 24 hours', partner.outCount],
            ['Held', partner.heldCount],
            ['Failed', partner.failedCount],
            ['Retrying', partner.retryingCount],
            ['Last', partner.lastMessageDate && <Timestamp key="last" at={partner.lastMessageDate} />],
          ]}
        />
      </Card>
    </CardGrid>
    <CodeTableCard partnerId={partner.id} />
  </>
)

const ApiClientLink = ({ id }: { id: number | null }) => {
  const mayOpen = can(useRole(), 'apiClients.manage')
  return mayOpen && id !== null ? <Link to={`/api-clients/${id}/show`}>Open</Link> : '–'
}

const Owner = ({ partner }: { partner: InterfacePartner }) => {
  const { clientId, colaId } = partner
  return (
    <Link to={clientId === null ? `/collaborators/${colaId}/show` : `/clients/${clientId}/show`}>
      {ownerOf(partner)}
    </Link>
  )
}
