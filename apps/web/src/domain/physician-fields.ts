import { physicianLabels as label } from '@lis/contract/physicians.ts'
import type { FieldDef } from '../ui/form/field-types.ts'

/** The form of a physician; its clients are chosen elsewhere. */
export const physicianFields: readonly FieldDef[] = [
  { name: 'physFirstName', label: label.physFirstName, kind: 'text', isRequired: true },
  { name: 'physMiddleName', label: label.physMiddleName, kind: 'text' },
  { name: 'physLastName', label: label.physLastName, kind: 'text', isRequired: true },
  { name: 'physTitle', label: label.physTitle, kind: 'select', lookup: 'physTitle', isRequired: true },
  { name: 'npiNumber', label: label.npiNumber, kind: 'input', isRequired: true, hint: '10 digits' },
  { name: 'ptanNumber', label: label.ptanNumber, kind: 'input' },
  { name: 'physPortalPrefCode', label: label.physPortalPrefCode, kind: 'select', lookup: 'portalPref' },
]
