import { type RequisitionPresets, requisitionCreateRoutes } from '@lis/contract/requisitions/create.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Loaded, RecordPage } from '../../ui/form/record-page.tsx'
import { RequisitionForm } from './requisition-form.tsx'

export const RequisitionCreatePage = () => {
  const query = useQuery({
    ...read(requisitionCreateRoutes.presets, { query: {} }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <RecordPage title="Add Requisition" parent={{ to: '/requisitions', label: 'Requisitions' }}>
      <Loaded query={query}>{({ data }: { data: RequisitionPresets }) => <RequisitionForm company={data} />}</Loaded>
    </RecordPage>
  )
}
