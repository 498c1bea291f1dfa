import { specimenHints, specimenRoutes } from '@lis/contract/specimens.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Banner } from '../../ui/form/banner.tsx'

/** Warnings about the receipt as it is typed; it can be saved anyway. */
export const SpecimenHints = ({ requisitionId, typed }: { requisitionId: number; typed: Record<string, unknown> }) => {
  const { data } = useQuery(read(specimenRoutes.needed, { params: { id: requisitionId } }))
  const hints = specimenHints(typed, data?.data ?? [])
  return hints.length > 0 && <Banner type="warning">{hints.join(' ')} It can be saved nevertheless.</Banner>
}
