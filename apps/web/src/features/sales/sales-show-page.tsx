import { type SalesPerson, salesLabels, salesRoutes } from '@lis/contract/sales.ts'
import { Link } from 'react-router'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { formatPhone } from '../../lib/formats.ts'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { salesClientColumns, salesColumns } from './sales-columns.tsx'
import { sales, salesName } from './sales-resource.ts'

export const SalesShowPage = () => (
  <ResourceShowPage resource={sales} titleOf={salesName}>
    {(person) => <Cards person={person} />}
  </ResourceShowPage>
)

const idOf = ({ id }: { id: number }) => String(id)
const salesHref = ({ id }: { id: number }) => `/sales/${id}/show`
const clientHref = ({ id }: { id: number }) => `/clients/${id}/show`
const counted = (rows: readonly unknown[]) => (rows.length === 0 ? '' : String(rows.length))

const Cards = ({ person }: { person: SalesPerson }) => (
  <>
    <CardGrid>
      <Card title="About">
        <InfoList
          items={[
            [salesLabels.salesFirstName, person.salesFirstName],
            [salesLabels.salesMiddleName, person.salesMiddleName],
            [salesLabels.salesLastName, person.salesLastName],
            [salesLabels.salesTitle, person.salesTitle],
            [salesLabels.salesTypeDesc, person.salesTypeDesc],
            [salesLabels.salesRepCode, person.salesRepCode],
            [salesLabels.reportToId, <ReportsTo key="reportTo" person={person} />],
            [salesLabels.salesCompanyName, person.salesCompanyName],
            [salesLabels.salesNote, person.salesNote],
          ]}
        />
      </Card>
      <Card title="Contact">
        <InfoList
          items={[
            [
              salesLabels.salesEmail,
              <a key="email" href={`mailto:${person.salesEmail}`}>
                {person.salesEmail}
              </a>,
            ],
            [salesLabels.salesPhone, formatPhone(person.salesPhone)],
          ]}
        />
      </Card>
    </CardGrid>
    <SubTable
      title="Staff"
      level={2}
      note={counted}
      columns={salesColumns}
      route={salesRoutes.staff}
      params={{ id: person.id }}
      rowId={idOf}
      rowHref={salesHref}
    />
    <SubTable
      title="Clients"
      level={2}
      note={counted}
      columns={salesClientColumns}
      route={salesRoutes.clients}
      params={{ id: person.id }}
      rowId={idOf}
      rowHref={clientHref}
    />
  </>
)

const ReportsTo = ({ person: { reportToId, reportTo } }: { person: SalesPerson }) =>
  reportToId === null ? '–' : <Link to={`/sales/${reportToId}/show`}>{reportTo}</Link>
