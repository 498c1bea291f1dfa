import { type CollaboratorRow, collaboratorLabels as label } from '@lis/contract/collaborators.ts'
import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { formatPhone } from '../../lib/formats.ts'
import type { Column } from '../../ui/table/column.ts'
import { collaboratorFilters } from './collaborator-fields.ts'
import { collaboratorName, collaborators } from './collaborator-resource.ts'

export const CollaboratorListPage = () => (
  <ResourceListPage
    resource={collaborators}
    columns={collaboratorColumns}
    filters={collaboratorFilters}
    rowName={collaboratorName}
  />
)

/** COL-G1. */
const collaboratorColumns: Column<CollaboratorRow>[] = [
  { key: 'id', header: label.id, sort: 'id', width: 80, isSticky: true, cell: ({ id }) => id },
  {
    key: 'colaName',
    header: label.colaName,
    sort: 'colaName',
    width: 220,
    isSticky: true,
    card: 'title',
    cell: ({ colaName }) => <strong>{colaName}</strong>,
  },
  { key: 'colaAlias', header: label.colaAlias, sort: 'colaAlias', width: 120, cell: ({ colaAlias }) => colaAlias },
  {
    key: 'colaPhone',
    header: label.colaPhone,
    sort: 'colaPhone',
    width: 140,
    cell: ({ colaPhone }) => formatPhone(colaPhone),
  },
  { key: 'colaEmail', header: label.colaEmail, sort: 'colaEmail', width: 220, cell: ({ colaEmail }) => colaEmail },
]
