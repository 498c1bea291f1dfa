import { type RequisitionReason, requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../lib/query.ts'
import { Tag } from './flag-tags.tsx'

const failCodesOf = ({ data }: { data: readonly RequisitionReason[] }) =>
  data
    .filter(({ reasonTypeCode }) => reasonTypeCode === 'FAIL')
    .map(({ reasonId, failCode, failDesc }) => ({ id: reasonId, code: failCode ?? '', text: failDesc ?? '' }))
export type FailCode = ReturnType<typeof failCodesOf>[number]

/** The fail codes of the whole requisition: while there is one, none of its tests is reported, whatever results were entered. */
export const useFailCodes = (requisitionId: number) =>
  useQuery({ ...read(requisitionRecordRoutes.reasons, { params: { id: requisitionId } }), select: failCodesOf })

/** With its text: a number alone says little in a list. */
export const FailTag = ({ code, text }: Pick<FailCode, 'code' | 'text'>) => (
  <Tag className="fail" style={{ maxWidth: 'none', height: 'auto', whiteSpace: 'normal' }}>
    {code} {text}
  </Tag>
)

/** Beside the status, on every tab and for every role. */
export const FailTags = ({ requisitionId }: { requisitionId: number }) =>
  useFailCodes(requisitionId).data?.map(({ id, code, text }) => (
    <Tag key={id} className="fail" title={text}>
      Failed {code}
    </Tag>
  ))
