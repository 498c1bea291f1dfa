import { FreezerLabPage } from './freezer-lab-page.tsx'
import { ReconcileBox } from './reconcile-box.tsx'

/** Compares a box with its record and corrects the record; moves boxes, racks and shelves. */
export const ReconcilePage = () => (
  <FreezerLabPage title="Reconcile Box">
    {(labId, labChoice) => <ReconcileBox labId={labId} labChoice={labChoice} />}
  </FreezerLabPage>
)
