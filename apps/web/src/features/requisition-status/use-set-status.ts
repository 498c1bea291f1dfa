import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import { type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { useState } from 'react'
import { ifMatch, useSave } from '../../lib/use-save.ts'

/** Sets the status at once; while it is on its way the select shows where it goes. */
export const useSetStatus = ({ id, version }: Pick<RequisitionDetail, 'id' | 'version'>) => {
  const save = useSave(requisitionEditRoutes.update)
  const [moving, setMoving] = useState<StatusCode | null>(null)
  const setStatus = async (code: unknown) => {
    const { code: reqStatusCode } = statusOf(code as StatusCode)
    setMoving(reqStatusCode)
    try {
      await save({ params: { id }, body: { reqStatusCode }, headers: ifMatch(version) })
    } catch {
      // The notice says why; the select falls back to what is stored.
    } finally {
      setMoving(null)
    }
  }
  return { moving, setStatus }
}
