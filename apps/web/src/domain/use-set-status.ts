import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import { type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { ifMatch, useSave } from '../lib/use-save.ts'
import { useSavedChoice } from '../lib/use-saved-choice.ts'

/** Sets the status at once; while it is being saved the select shows the new one. */
export const useSetStatus = ({ id, version }: Pick<RequisitionDetail, 'id' | 'version'>) => {
  const save = useSave(requisitionEditRoutes.update, { isImmediate: true })
  const { saving, choose } = useSavedChoice<StatusCode>(version, (reqStatusCode, known) =>
    save({ params: { id }, body: { reqStatusCode }, headers: ifMatch(known) }),
  )
  return { moving: saving, setStatus: (code: unknown) => choose(statusOf(code as StatusCode).code) }
}
