import { salesInput, salesRoutes } from '@lis/contract/sales.ts'
import { useNavigate } from 'react-router'
import { useSave } from '../../lib/use-save.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { salesFields } from './sales-fields.ts'

export const SalesCreatePage = () => {
  const create = useSave(salesRoutes.create)
  const navigate = useNavigate()
  return (
    <RecordPage title="Create Sales Person">
      <RecordForm
        title="Sales Person"
        schema={salesInput}
        fields={salesFields}
        submitLabel="Create"
        draftKey="sales"
        onCancel={() => navigate('/sales')}
        onSubmit={async (values) => {
          const { data } = await create({ body: values })
          navigate(`/sales/${data.id}/show`, { replace: true })
        }}
      />
    </RecordPage>
  )
}
