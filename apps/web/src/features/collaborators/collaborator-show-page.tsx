import { can } from '@lis/contract/access/permissions.ts'
import { collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { CollaboratorCards } from './collaborator-cards.tsx'
import { RangeCard } from './range-card.tsx'

export const CollaboratorShowPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(collaboratorRoutes.one, { params: { id } }))
  const mayEdit = can(useRole(), 'collaborators.write')
  const collaborator = query.data?.data
  return (
    <RecordPage
      title={collaborator?.colaName ?? 'Collaborator'}
      action={collaborator && mayEdit && <EditLink variant="contained" color="primary" to={`/collaborators/${id}`} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/collaborators', label: 'Collaborators' }} />}>
        {({ data }) => (
          <>
            <CollaboratorCards collaborator={data} />
            <RangeCard key={data.id} collaboratorId={data.id} />
          </>
        )}
      </Loaded>
    </RecordPage>
  )
}
