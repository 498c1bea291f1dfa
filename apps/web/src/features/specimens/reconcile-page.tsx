import { FreezerLabPage } from './freezer-lab-page.tsx'
import { ReconcileBox } from './reconcile-box.tsx'

/** Compares a box with what is recorded in it, and puts the record right; moves boxes, racks and shelves. */
export const ReconcilePage = () => (
  <FreezerLabPage title="Reconcile Box">
    {(labId, labChoice) => <ReconcileBox labId={labId} labChoice={labChoice} />}
  </FreezerLabPage>
)
