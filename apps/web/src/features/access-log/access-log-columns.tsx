import { type AccessLogEntry, accessLogLabels } from '@lis/contract/access-log.ts'
import { Link } from 'react-router'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const mostShown = 3

/** A list or a file may contain thousands. */
const RequisitionLinks = ({ ids }: { ids: readonly number[] }) => (
  <>
    {ids.slice(0, mostShown).map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        <Link to={`/requisitions/${id}/show`}>{id}</Link>
      </span>
    ))}
    {ids.length > mostShown && ` and ${ids.length - mostShown} more`}
  </>
)

export const accessLogColumns: readonly Column<AccessLogEntry>[] = [
  {
    key: 'accessDate',
    header: accessLogLabels.accessDate,
    sort: 'accessDate',
    width: 140,
    cell: ({ accessDate }) => <Timestamp at={accessDate} />,
  },
  {
    key: 'userName',
    header: accessLogLabels.userName,
    sort: 'userName',
    width: 190,
    card: 'title',
    cell: ({ userName, viewedAsName }) => (
      <>
        <span className="strong">{userName}</span>
        {viewedAsName && ` viewing as ${viewedAsName}`}
      </>
    ),
  },
  {
    key: 'userRoleCode',
    header: accessLogLabels.userRoleCode,
    sort: 'userRoleCode',
    width: 80,
    cell: ({ userRoleCode }) => userRoleCode,
  },
  {
    key: 'route',
    header: accessLogLabels.route,
    sort: 'route',
    width: 300,
    cell: ({ method, route }) => `${method} ${route}`,
  },
  { key: 'reqIds', header: 'Requisitions', width: 230, cell: ({ reqIds }) => <RequisitionLinks ids={reqIds} /> },
]

export const accessLogFilters: readonly FieldDef[] = [
  { name: 'dateFrom', label: 'Date From', kind: 'date' },
  { name: 'dateTo', label: 'Date To', kind: 'date' },
  { name: 'reqId', label: 'Requisition', kind: 'number' },
]
