import { FillBox } from './fill-box.tsx'
import { FreezerLabPage } from './freezer-lab-page.tsx'

/** Places many samples into one box. */
export const FillBoxPage = () => (
  <FreezerLabPage title="Fill Box">
    {(labId, labChoice) => <FillBox labId={labId} labChoice={labChoice} />}
  </FreezerLabPage>
)
