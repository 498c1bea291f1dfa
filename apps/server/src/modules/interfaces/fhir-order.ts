import { createHash } from 'node:crypto'
import type {
  BundleEntry,
  BundleFault,
  BundleIdentifier,
  BundleReference,
  BundleResource,
  Concept,
  OrderBundle,
} from './fhir-bundle.ts'
import { readOwnReference } from './fhir-references.ts'
import type { IncomingInsurance, IncomingOrder, IncomingPatient, IncomingPerson } from './incoming-order.ts'

type Of<Type extends BundleResource['resourceType']> = Extract<BundleResource, { resourceType: Type }>

const npiSystem = 'http://hl7.org/fhir/sid/us-npi'
const loincSystem = 'http://loinc.org'

const all = <Type extends BundleResource['resourceType']>({ entry }: OrderBundle, type: Type) =>
  entry.flatMap(({ resource }) => (resource.resourceType === type ? [resource as Of<Type>] : []))

/** The entries that order a test or panel, in their order. */
const orderEntries = ({ entry }: OrderBundle) =>
  entry.filter(
    (one): one is BundleEntry & { resource: Of<'ServiceRequest'> } => one.resource.resourceType === 'ServiceRequest',
  )

const hasType = ({ type }: BundleIdentifier, code: string) => type?.coding.some((one) => one.code === code) ?? false

const placerIn = ({ identifier }: Of<'ServiceRequest'>) => identifier.find((one) => hasType(one, 'PLAC'))
const placerOf = (resource: Of<'ServiceRequest'>): string => placerIn(resource)?.value ?? ''

/** A change that is allowed only while the order has this version. */
export interface VersionClaim {
  placer: string
  ifMatch: string
}

export const versionClaims = (bundle: OrderBundle): VersionClaim[] =>
  orderEntries(bundle).flatMap(({ resource, request: { method, ifMatch } }) =>
    method === 'PUT' && ifMatch ? [{ placer: placerOf(resource), ifMatch }] : [],
  )

/** A test message, which has no effect. */
export const isTestBundle = ({ meta }: OrderBundle): boolean =>
  [...(meta?.tag ?? []), ...(meta?.security ?? [])].some(({ code }) => code === 'HTEST')

/** The id of a resource of ours. */
const idIn = (reference: string | undefined, type: string): number | undefined => {
  const own = readOwnReference(reference)
  return own?.type === type && /^\d{1,15}$/.test(own.id) ? Number(own.id) : undefined
}

const rule = (path: string, words: string): BundleFault => ({ status: 422, path, words })
const controls = { active: 'NW', revoked: 'CA' } as const

/** The errors in a Bundle with a valid structure. */
export const orderFaults = (bundle: OrderBundle): BundleFault[] => {
  const orders = orderEntries(bundle)
  const patients = all(bundle, 'Patient')
  if (orders.length === 0) return [rule('Bundle.entry', 'The Bundle holds no ServiceRequest')]
  if (patients.length > 1) return [rule('Bundle.entry', 'The Bundle holds more than one Patient')]
  const subjects = new Set(orders.map(({ resource }) => resource.subject.reference ?? ''))
  const methods = new Set(orders.map(({ request, resource }) => `${request.method} ${resource.status}`))
  const own = bundle.entry.find(({ resource }) => resource.resourceType === 'Patient')?.fullUrl
  const [subject = ''] = subjects
  const faults: BundleFault[] = []
  if (subjects.size > 1) faults.push(rule('ServiceRequest.subject', 'All orders of a Bundle are for one patient'))
  else if (subject !== own && idIn(subject, 'Patient') === undefined)
    faults.push(rule('ServiceRequest.subject', 'The subject must be the Patient of the Bundle, or one known here'))
  else if (patients.length > 0 && subject !== own)
    faults.push(rule('ServiceRequest.subject', 'The subject is another patient than that of the Bundle'))
  if (methods.size > 1)
    faults.push(rule('ServiceRequest.status', 'All orders of a Bundle have the same status and method'))
  for (const { resource, request } of orders) {
    if (placerOf(resource) === '')
      faults.push(rule('ServiceRequest.identifier', 'The placer identifier (type PLAC) is missing'))
    if (codesOf(resource.code).length === 0) faults.push(rule('ServiceRequest.code', 'The code of the test is missing'))
    if (!(resource.status in controls))
      faults.push(rule('ServiceRequest.status', 'The status must be active or revoked'))
    if (!/order$/.test(resource.intent)) faults.push(rule('ServiceRequest.intent', 'The intent must be order'))
    if (request.method === 'PUT' && !/^ServiceRequest\?identifier=/.test(request.url))
      faults.push(rule('Bundle.entry.request.url', 'PUT is by ServiceRequest?identifier={system}|{placer number}'))
  }
  for (const { resource, request } of bundle.entry)
    if (resource.resourceType !== 'ServiceRequest' && request.method === 'PUT')
      faults.push(rule('Bundle.entry.request.method', `${resource.resourceType} is sent by POST`))
  for (const patient of patients) {
    if ((nameOf(patient)?.family ?? '') === '')
      faults.push(rule('Patient.name', 'The last name of the patient is missing'))
    if (identifiersOf(bundle, patient).length === 0)
      faults.push(rule('Patient.identifier', 'The identifier of the patient is missing'))
  }
  for (const { beneficiary } of all(bundle, 'Coverage'))
    if (beneficiary.reference !== subject)
      faults.push(rule('Coverage.beneficiary', 'The beneficiary is another patient'))
  for (const { subject: whose } of all(bundle, 'Specimen'))
    if (whose?.reference !== undefined && whose.reference !== subject)
      faults.push(rule('Specimen.subject', 'The specimen is of another patient'))
  return faults
}

const codesOf = (code: Concept | undefined) =>
  (code?.coding ?? []).flatMap((one) =>
    one.code
      ? [
          {
            code: one.code,
            name: one.display ?? code?.text ?? '',
            system: one.system === loincSystem ? 'LN' : (one.system ?? ''),
          },
        ]
      : [],
  )

/** Reads a Bundle without errors. */
export const readFhirOrder = (bundle: OrderBundle): IncomingOrder => {
  const orders = orderEntries(bundle)
  const [first] = orders as [(typeof orders)[number]]
  const placers = [...new Set(orders.map(({ resource }) => placerOf(resource)))]
  const [patient] = all(bundle, 'Patient')
  const collections = all(bundle, 'Specimen')
    .map(({ collection }) => collection)
    .filter((one) => one !== undefined)
  const control = controls[first.resource.status as keyof typeof controls]
  const times = [
    ...collections.map((one) => one.collectedDateTime),
    ...orders.map(({ resource }) => resource.occurrenceDateTime),
  ]
  return {
    control: control === 'NW' && first.request.method === 'PUT' ? 'XO' : control,
    placers,
    extOrderId: first.resource.requisition?.value || placers[0] || '',
    clientCodes: clientCodes(bundle, patient),
    patient: patient ? readPatient(bundle, patient) : unknownHere,
    patientId: patient ? undefined : idIn(first.resource.subject.reference, 'Patient'),
    physician: firstPhysician(bundle),
    collected: times.find((time) => time?.includes('T')) ?? null,
    isFasting: readFasting(collections.flatMap((one) => one.fastingStatusCodeableConcept ?? [])),
    isStat: orders.some(({ resource }) => resource.priority === 'stat'),
    icds: unique(orders.flatMap(({ resource }) => resource.reasonCode)),
    insurances: all(bundle, 'Coverage').map((one, index) => readCoverage(bundle, one, index)),
    guarantor: null,
    notes: [...new Set(orders.flatMap(({ resource }) => resource.note.map((note) => note.text)))],
    tests: orders.map(({ resource }) => ({
      placer: placerOf(resource),
      ...(placerIn(resource)?.system && { placerSystem: placerIn(resource)?.system }),
      codes: codesOf(resource.code),
      path: 'ServiceRequest.code',
    })),
    paths: {
      client: 'Patient.managingOrganization',
      physician: 'ServiceRequest.requester',
      patient: 'Patient.identifier',
      name: 'Patient.name',
      dob: 'Patient.birthDate',
      sex: 'Patient.gender',
      collected: 'Specimen.collection.collectedDateTime',
    },
  }
}

/** The content of an order, independent of the fullUrls and the sequence of its entries. A test message never means an order. */
export const hashOfOrder = ({ paths: _, tests, placers, ...rest }: IncomingOrder, isTest: boolean): Buffer =>
  createHash('sha256')
    .update(
      JSON.stringify({
        ...rest,
        ...(isTest && { isTest }),
        placers: placers.toSorted(),
        tests: tests.map((one) => JSON.stringify(one)).toSorted(),
      }),
    )
    .digest()

const unique = (concepts: readonly Concept[]) => {
  const found = new Map<string, { code: string; name: string }>()
  for (const concept of concepts)
    for (const { code, display } of concept.coding.slice(0, 1))
      if (code && !found.has(code)) found.set(code, { code, name: display ?? concept.text ?? '' })
  return [...found.values()]
}

/** Codes of table 0916 and of table 0136. */
const fastingCodes: Record<string, boolean> = { F: true, FNA: true, Y: true, NF: false, NFNA: false, N: false }
const readFasting = (concepts: readonly Concept[]): boolean | null => {
  const codes = concepts.flatMap(({ coding }) => coding.flatMap(({ code }) => code ?? []))
  const known = codes.find((code) => code in fastingCodes)
  return known === undefined ? null : (fastingCodes[known] ?? null)
}

const nameOf = ({ name }: Of<'Patient'>) => name.find(({ use }) => use === 'official') ?? name[0]

/** The identifiers of the resource, and the one of a conditional reference to an existing patient. */
const identifiersOf = (bundle: OrderBundle, patient: Of<'Patient'>): IncomingPatient['identifiers'] => {
  const asked = bundle.entry.find(({ resource }) => resource === patient)?.request.ifNoneExist ?? ''
  const [system = '', value = ''] = (new URLSearchParams(asked).get('identifier') ?? '').split('|')
  const given = patient.identifier.flatMap((one) =>
    one.value && !hasType(one, 'PI') ? [{ identifier: one.value, authority: one.system ?? '' }] : [],
  )
  const isKnown = value === '' || given.some((one) => one.identifier === value && one.authority === system)
  return isKnown ? given : [...given, { identifier: value, authority: system }]
}

const unknownHere: IncomingPatient = {
  identifiers: [],
  lastName: '',
  firstName: '',
  middleName: undefined,
  dob: undefined,
  sex: undefined,
  addr1: undefined,
  addr2: undefined,
  city: undefined,
  state: undefined,
  zip: undefined,
  homePhone: undefined,
  workPhone: undefined,
}

const readPatient = (bundle: OrderBundle, patient: Of<'Patient'>): IncomingPatient => {
  const name = nameOf(patient)
  const [address] = patient.address
  const [firstName = '', ...others] = name?.given ?? []
  const phone = (isIt: (use: string | undefined) => boolean) => {
    const found = patient.telecom.find(({ system, use, value }) => system === 'phone' && value && isIt(use))
    const digits = (found?.value?.split(/[xX]/)[0] ?? '').replace(/\D/g, '')
    if (digits.length < 7 || digits.length > 15) return undefined
    return digits.length === 10 ? `1${digits}` : digits
  }
  return {
    identifiers: identifiersOf(bundle, patient),
    lastName: name?.family ?? '',
    firstName,
    middleName: others.join(' ') || undefined,
    dob: patient.birthDate && patient.birthDate.length === 10 ? patient.birthDate : undefined,
    sex: patient.gender === 'male' ? 'MALE' : patient.gender === 'female' ? 'FEMALE' : undefined,
    addr1: address?.line[0],
    addr2: address?.line[1],
    city: address?.city,
    state: address?.state,
    zip: address?.postalCode,
    homePhone: phone((use) => use !== 'work'),
    workPhone: phone((use) => use === 'work'),
  }
}

const find = <Type extends BundleResource['resourceType']>(
  { entry }: OrderBundle,
  reference: string | undefined,
  type: Type,
): Of<Type> | undefined => {
  const found = entry.find(({ fullUrl, resource }) => fullUrl === reference && resource.resourceType === type)
  return found?.resource as Of<Type> | undefined
}

const clientCodes = (bundle: OrderBundle, patient: Of<'Patient'> | undefined): string[] => {
  const of = patient?.managingOrganization
  const inside = find(bundle, of?.reference, 'Organization')
  return [of?.identifier?.value, ...(inside?.identifier ?? []).map(({ value }) => value)].flatMap((code) => code || [])
}

const firstPhysician = (bundle: OrderBundle): IncomingPerson | null => {
  for (const { resource } of orderEntries(bundle)) {
    const person = resource.requester && readPerson(bundle, resource.requester)
    if (person) return person
  }
  return null
}

const readPerson = (bundle: OrderBundle, requester: BundleReference): IncomingPerson | null => {
  const inside = find(bundle, requester.reference, 'Practitioner')
  const identifiers = [requester.identifier, ...(inside?.identifier ?? [])].filter((one) => one !== undefined)
  const npi = (identifiers.find(({ system }) => system === npiSystem) ?? identifiers[0])?.value ?? ''
  const [name] = inside?.name ?? []
  const [lastName = '', firstName = ''] = name
    ? [name.family, name.given[0]]
    : (requester.display ?? '').split(',').map((part) => part.trim())
  const physicianId = idIn(requester.reference, 'Practitioner')
  if (npi === '' && lastName === '' && physicianId === undefined) return null
  return { npi, lastName, firstName, ...(physicianId !== undefined && { physicianId }) }
}

const readCoverage = (bundle: OrderBundle, one: Of<'Coverage'>, index: number): IncomingInsurance => {
  const [payor] = one.payor
  const company = find(bundle, payor?.reference, 'Organization')
  const holder = one.policyHolder ?? one.subscriber
  const group = one.class.find(({ type }) => type.coding.some(({ code }) => code === 'group'))
  const patient = find(bundle, holder?.reference, 'Patient')
  const name = patient && nameOf(patient)
  return {
    order: one.order ?? index + 1,
    companyNo: payor?.identifier?.value ?? company?.identifier[0]?.value ?? '',
    companyName: payor?.display ?? company?.name ?? '',
    groupNo: group?.value ?? '',
    holder: holder?.display ?? [name?.given[0], name?.family].filter(Boolean).join(' '),
    insuredDob: patient?.birthDate?.length === 10 ? patient.birthDate : null,
    policyNo: one.subscriberId ?? '',
  }
}
