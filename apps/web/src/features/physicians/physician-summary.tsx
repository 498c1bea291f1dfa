import { physicianLabels } from '@lis/contract/physicians.ts'
import { physicianFields } from '../../domain/physician-fields.ts'
import { FieldText } from '../../ui/form/field-text.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { clientName } from './client-columns.tsx'
import { useClientNames } from './client-picker.tsx'

/** Everything that 'Finish' will save (PHY-G5). */
export const PhysicianSummary = ({ values, clientIds }: { values: Values; clientIds: readonly number[] }) => {
  const clients = useClientNames(clientIds)
  const named = clients.map((client) => <div key={client.id}>{clientName(client)}</div>)
  return (
    <InfoList
      items={[
        ...physicianFields.map(
          (field) =>
            [
              field.label,
              <FieldText key={field.name} field={field} value={values[field.name]} values={values} />,
            ] as const,
        ),
        [physicianLabels.clientIds, named.length > 0 ? named : null],
      ]}
    />
  )
}
