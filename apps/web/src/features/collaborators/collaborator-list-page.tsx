import { type CollaboratorRow, collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { DeletedLink } from '../../domain/deleted-link.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { collaboratorColumns } from './collaborator-columns.tsx'
import { collaboratorFilters } from './collaborator-fields.ts'

const rowName = ({ colaName }: CollaboratorRow) => colaName
const rowHref = ({ id }: CollaboratorRow) => `/collaborators/${id}/show`

/** The lab partners. */
export const CollaboratorListPage = () => (
  <ListPage
    title="Collaborators"
    aside={<DeletedLink kind="collaborator" />}
    screen="collaborators"
    itemName="collaborator"
    route={collaboratorRoutes.list}
    removeRoute={collaboratorRoutes.removeMany}
    columns={collaboratorColumns}
    filters={collaboratorFilters}
    rowName={rowName}
    rowHref={rowHref}
    create={{ href: '/collaborators/create', permission: 'collaborators.write' }}
  />
)
