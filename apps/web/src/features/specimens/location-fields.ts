import { locationLabels as label } from '@lis/contract/spec-locations.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'

export const locationFields: readonly FieldDef[] = [
  { name: 'specLocTypeCode', label: label.specLocTypeCode, kind: 'select', lookup: 'specLocType', isRequired: true },
  { name: 'sampleSizeCode', label: label.sampleSizeCode, kind: 'select', lookup: 'sampleSize', isRequired: true },
  { name: 'aliquot', label: label.aliquot, kind: 'number', min: 1, isRequired: true },
]
