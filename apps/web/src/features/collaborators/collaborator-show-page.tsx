import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { CollaboratorCards } from './collaborator-cards.tsx'
import { collaboratorName, collaborators } from './collaborator-resource.ts'
import { RangeCard } from './range-card.tsx'

export const CollaboratorShowPage = () => (
  <ResourceShowPage resource={collaborators} titleOf={collaboratorName}>
    {(collaborator) => (
      <>
        <CollaboratorCards collaborator={collaborator} />
        <RangeCard collaboratorId={collaborator.id} />
      </>
    )}
  </ResourceShowPage>
)
