import { messages } from '@lis/contract/messages.ts'
import { birthDateParts, patientCore, withBirthDateCheck } from '@lis/contract/patients.ts'
import { portalOrderMessages } from '@lis/contract/portal-orders.ts'
import { collectedParts, withCollectedCheck } from '@lis/contract/requisitions/collected.ts'
import { requisitionLabels as label, type Orderable, orderShape } from '@lis/contract/requisitions/create.ts'
import { flag01, requiredId } from '@lis/contract/validation.ts'
import { z } from 'zod'
import { collectedFieldDefs, identityFieldDefs } from '../../domain/patient-fields.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'

const common = {
  orderingClientPhysId: requiredId(label.orderingClientPhysId),
  ...patientCore,
  ...birthDateParts,
  tests: z.array(z.string()).min(1, messages.required(label.testIds)),
  icdIds: z.array(z.coerce.number()).max(12, portalOrderMessages.mostIcds).default([]),
  isInsuranceKnown: flag01.default(1),
  collectCode: orderShape.collectCode,
  collectedBy: orderShape.collectedBy,
}

/** The form as validated by the page. */
export const orderForm = z.discriminatedUnion(
  'sample',
  [
    withBirthDateCheck(z.object({ sample: z.literal('later'), ...common })),
    withCollectedCheck(withBirthDateCheck(z.object({ sample: z.literal('collected'), ...common, ...collectedParts }))),
  ],
  { error: messages.required('The sample') },
)
export type OrderForm = z.infer<typeof orderForm>

/** A practice types no social security number here. */
export const patientFields = identityFieldDefs.filter(({ name }) => name !== 'patientSsn')

export const testFields = (orderables: readonly Orderable[]): readonly FieldDef[] => [
  {
    name: 'tests',
    label: label.testIds,
    kind: 'lookupMultiSelect',
    isWide: true,
    isRequired: true,
    hint: 'Type the code or name of a panel or test.',
    options: orderables.map(({ key, code, desc, testCodes }) => ({
      value: key,
      label: `${code} ${desc}${testCodes.length > 0 ? ` (${testCodes.join(', ')})` : ''}`,
    })),
  },
  {
    name: 'icdIds',
    label: 'Diagnoses (ICD)',
    kind: 'lookupMultiSelect',
    lookup: 'icds',
    isWide: true,
    hint: 'Search by code or by words of the description',
  },
]

const isLater = ({ sample }: Values) => sample !== 'collected'

export const sampleFields = (zone: string | null): readonly FieldDef[] => [
  {
    name: 'sample',
    label: 'The sample',
    kind: 'radio',
    isRequired: true,
    isWide: true,
    options: [
      { value: 'collected', label: 'Has been collected' },
      { value: 'later', label: 'Is collected later' },
    ],
  },
  ...[
    ...collectedFieldDefs(zone, 2),
    { name: 'collectCode', label: label.collectCode, kind: 'select', lookup: 'collectionMethod' } as const,
    { name: 'collectedBy', label: label.collectedBy, kind: 'text' } as const,
  ].map((field: FieldDef) => ({
    ...field,
    isHidden: (values: Values) => isLater(values) || (field.isHidden?.(values) ?? false),
  })),
]

export const physicianField = (
  physicians: readonly { orderingClientPhysId: number; physName: string }[],
): FieldDef => ({
  name: 'orderingClientPhysId',
  label: label.orderingClientPhysId,
  kind: 'autocomplete',
  isRequired: true,
  options: physicians.map(({ orderingClientPhysId, physName }) => ({ value: orderingClientPhysId, label: physName })),
  ...(physicians.length === 1 && { initial: physicians[0]?.orderingClientPhysId as number }),
})

export const insuranceField: FieldDef = {
  name: 'isInsuranceKnown',
  label: 'Bill the insurance of the last order',
  kind: 'radio',
  options: [
    { value: 1, label: 'Yes' },
    { value: 0, label: 'No' },
  ],
}
