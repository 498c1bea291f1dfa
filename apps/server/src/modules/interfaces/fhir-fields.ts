/** The elements that are read, with their display names. */
const names: Record<string, string> = {
  'Patient.identifier': 'MRN',
  'Patient.name': 'Name',
  'Patient.birthDate': 'Born',
  'Patient.gender': 'Sex',
  'Patient.address': 'Address',
  'Patient.telecom': 'Phone',
  'Patient.managingOrganization': 'Client',
  'ServiceRequest.identifier': 'Their order',
  'ServiceRequest.requisition': 'Their group',
  'ServiceRequest.status': 'Status',
  'ServiceRequest.priority': 'Priority',
  'ServiceRequest.code': 'Test',
  'ServiceRequest.requester': 'Ordered by',
  'ServiceRequest.occurrenceDateTime': 'Collected',
  'ServiceRequest.reasonCode': 'Diagnosis',
  'ServiceRequest.note': 'Note',
  'Specimen.collection': 'Collected',
  'Coverage.payor': 'Insurance',
  'Coverage.subscriberId': 'Policy number',
  'Coverage.class': 'Group',
  'Coverage.policyHolder': 'Holder',
}

/** The values of an element, without its type codes. */
const textsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [String(value)]
  return Object.entries(value).flatMap(([name, one]) => (['system', 'type', 'use'].includes(name) ? [] : textsIn(one)))
}

/** The content of a Bundle, element by element. */
export const describeBundle = (raw: Buffer): { path: string; name: string; value: string }[] => {
  const parsed = JSON.parse(raw.toString('utf8')) as { entry?: { resource?: Record<string, unknown> }[] } | null
  const entries = Array.isArray(parsed?.entry) ? parsed.entry : []
  return entries.flatMap(({ resource }) =>
    Object.entries(resource ?? {}).flatMap(([element, value]) => {
      const path = `${String(resource?.resourceType)}.${element}`
      const name = names[path]
      return name === undefined ? [] : [{ path, name, value: textsIn(value).join(' ') }]
    }),
  )
}
