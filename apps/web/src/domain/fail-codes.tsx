import { requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../lib/query.ts'
import { useRole } from '../lib/session.ts'
import { mayCall } from '../ui/list-page/may-call.ts'
import { Tag } from './flag-tags.tsx'

/** The fail codes of the whole requisition: while there is one, none of its tests is reported, whatever has been entered. */
export const useFailCodes = (requisitionId: number) => {
  const role = useRole()
  const { data } = useQuery({
    ...read(requisitionRecordRoutes.reasons, { params: { id: requisitionId } }),
    enabled: mayCall(role, requisitionRecordRoutes.reasons),
  })
  return (data?.data ?? [])
    .filter(({ reasonTypeCode }) => reasonTypeCode === 'FAIL')
    .map(({ reasonId, failCode, failDesc }) => ({ id: reasonId, code: failCode ?? '', text: failDesc ?? '' }))
}
export type FailCode = ReturnType<typeof useFailCodes>[number]

/** Beside the status, on every tab and for every reader. */
export const FailTags = ({ requisitionId }: { requisitionId: number }) =>
  useFailCodes(requisitionId).map(({ id, code, text }) => (
    <Tag key={id} className="fail" title={text}>
      Failed {code}
    </Tag>
  ))
