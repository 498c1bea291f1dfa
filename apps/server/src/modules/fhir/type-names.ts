/** The types that can be read, in the order of the CapabilityStatement. */
export const fhirTypeNames = [
  'Patient',
  'Practitioner',
  'Organization',
  'Location',
  'ServiceRequest',
  'Specimen',
  'Observation',
  'DiagnosticReport',
  'Task',
  'Coverage',
  'Binary',
] as const
export type FhirTypeName = (typeof fhirTypeNames)[number]

export const isFhirType = (name: string): name is FhirTypeName => (fhirTypeNames as readonly string[]).includes(name)
