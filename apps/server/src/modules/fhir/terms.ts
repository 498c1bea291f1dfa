import type { CodeableConcept, Identifier, Reference } from '@medplum/fhirtypes'
import { escapeLike } from '../../platform/lists.ts'

/** External systems of codes and identifiers. */
export const systems = {
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
  npi: 'http://hl7.org/fhir/sid/us-npi',
  clia: 'urn:oid:2.16.840.1.113883.4.7',
  icd10: 'http://hl7.org/fhir/sid/icd-10-cm',
  identifierType: 'http://terminology.hl7.org/CodeSystem/v2-0203',
  interpretation: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
  observationCategory: 'http://terminology.hl7.org/CodeSystem/observation-category',
  diagnosticService: 'http://terminology.hl7.org/CodeSystem/v2-0074',
  absentReason: 'http://terminology.hl7.org/CodeSystem/data-absent-reason',
  gender: 'http://hl7.org/fhir/administrative-gender',
  requestStatus: 'http://hl7.org/fhir/request-status',
  observationStatus: 'http://hl7.org/fhir/observation-status',
  reportStatus: 'http://hl7.org/fhir/diagnostic-report-status',
  taskStatus: 'http://hl7.org/fhir/task-status',
  financialStatus: 'http://hl7.org/fhir/fm-status',
  coverageClass: 'http://terminology.hl7.org/CodeSystem/coverage-class',
} as const

/** Our own systems, under the address of the service. */
export const ownSystems = (base: string) => ({
  patient: `${base}/identifiers/patient`,
  authority: `${base}/identifiers/authority/`,
  accession: `${base}/identifiers/accession`,
  client: `${base}/identifiers/client`,
  test: `${base}/codes/test`,
  status: `${base}/codes/requisition-status`,
  specimenType: `${base}/codes/specimen-type`,
  container: `${base}/codes/container`,
})

const typeNames = {
  PI: 'Patient internal identifier',
  MR: 'Medical record number',
  PLAC: 'Placer Identifier',
  FILL: 'Filler Identifier',
} as const

export const typedIdentifier = (
  type: keyof typeof typeNames,
  value: string,
  rest: Pick<Identifier, 'system' | 'assigner' | 'use'> = {},
): Identifier => ({
  ...rest,
  type: { coding: [{ system: systems.identifierType, code: type, display: typeNames[type] }] },
  value,
})

export const accessionIdentifier = (base: string, requisitionId: number): Identifier =>
  typedIdentifier('FILL', String(requisitionId), { system: ownSystems(base).accession })

/** The number of the sender's order, with the system that the sender named. */
export const placerIdentifier = (row: { placer: string | null; placerSystem: string | null }): Identifier[] =>
  row.placer ? [typedIdentifier('PLAC', row.placer, row.placerSystem ? { system: row.placerSystem } : {})] : []

const isUri = (text: string) => /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text)

/**
 * The authority of a partner's number: its URI if it is one, otherwise its name. That of HL7 may have a name, a universal id and its type,
 * joined by `&`.
 */
export const authorityOf = (authority: string): Pick<Identifier, 'system' | 'assigner'> => {
  if (authority === '') return {}
  if (isUri(authority)) return { system: authority }
  const [name = '', id = '', type = ''] = authority.split('&')
  const system = universalIdOf(id, type)
  const display = name || (system === null ? id : '')
  return { ...(system !== null && { system }), ...(display !== '' && { assigner: { display } }) }
}

/** Table 0301, as far as there is a URI for the type. */
const universalIdOf = (id: string, type: string): string | null => {
  if (type === 'ISO' && /^[\d.]+$/.test(id)) return `urn:oid:${id}`
  if (type === 'UUID' || type === 'GUID') return `urn:uuid:${id.toLowerCase()}`
  return type === 'URI' && isUri(id) ? id : null
}

/** The same, with our own system where the authority has no URI: US Core asks for a system. */
export const authorityIn = (base: string, authority: string): Pick<Identifier, 'system' | 'assigner'> => ({
  system: `${ownSystems(base).authority}${encodeURIComponent(authority) || 'none'}`,
  ...authorityOf(authority),
})

/** The authorities whose numbers have a system, as texts and as patterns of LIKE. */
export const authoritiesOf = (base: string, system: string): { names: string[]; patterns: string[] } => {
  const own = ownSystems(base).authority
  if (system.startsWith(own)) {
    const name = decoded(system.slice(own.length))
    return { names: name === 'none' ? ['', name] : [name], patterns: [] }
  }
  // HL7 keeps an address as name, id and type of PID-3.4.
  const [, type, id] = /^urn:(oid|uuid):(.+)$/.exec(system) ?? []
  const plain = escapeLike(id ?? system)
  const types = type === 'oid' ? ['ISO'] : type === 'uuid' ? ['UUID', 'GUID'] : ['URI']
  return { names: [system], patterns: types.map((one) => `%&${plain}&${one}`) }
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const coded = (system: string, code: string, display?: string | null): CodeableConcept => ({
  coding: [{ system, code, ...(display && { display }) }],
  ...(display && { text: display }),
})

// biome-ignore lint/suspicious/noExplicitAny: the library types a reference by its target
export const refer = (type: string, id: string | number, display?: string | null): Reference<any> => ({
  reference: `${type}/${id}`,
  ...(display && { display }),
})

/** Omits empty values: FHIR has neither nulls nor empty lists. */
export const withoutEmpty = <T extends object>(value: T): T =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([, one]) => one !== null && one !== undefined && one !== '' && !(Array.isArray(one) && one.length === 0),
    ),
  ) as T
