import { z } from 'zod'
import { referencesIn, resolveReferences } from './fhir-references.ts'

// A transaction Bundle with an order; only the elements below are read.

const text = z.string().trim()
/** An existing date, or the date part of a date and time. */
const isReal = (value: string) => {
  const [, year = '', month = '01', day = '01'] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/.exec(value) ?? []
  const at = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.getUTCDate() === Number(day)
}
const date = text.refine((value) => /^\d{4}(-\d\d(-\d\d)?)?$/.test(value) && isReal(value), 'is not a date')
const dateTime = text.refine(
  (value) =>
    /^\d{4}(-\d\d(-\d\d(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/.test(value) &&
    isReal(value),
  'is not a date and time',
)
const coding = z.looseObject({ system: text.optional(), code: text.optional(), display: text.optional() })
const concept = z.looseObject({ coding: z.array(coding).default([]), text: text.optional() })
const identifier = z.looseObject({ type: concept.optional(), system: text.optional(), value: text.optional() })
const reference = z.looseObject({
  reference: text.optional(),
  identifier: identifier.optional(),
  display: text.optional(),
})

const patient = z.looseObject({
  resourceType: z.literal('Patient'),
  identifier: z.array(identifier).default([]),
  name: z
    .array(z.looseObject({ use: text.optional(), family: text.optional(), given: z.array(text).default([]) }))
    .default([]),
  birthDate: date.optional(),
  gender: z.enum(['male', 'female', 'other', 'unknown']).optional(),
  telecom: z
    .array(z.looseObject({ system: text.optional(), use: text.optional(), value: text.optional() }))
    .default([]),
  address: z
    .array(
      z.looseObject({
        line: z.array(text).default([]),
        city: text.optional(),
        state: text.optional(),
        postalCode: text.optional(),
      }),
    )
    .default([]),
  managingOrganization: reference.optional(),
})

const serviceRequest = z.looseObject({
  resourceType: z.literal('ServiceRequest'),
  identifier: z.array(identifier).default([]),
  requisition: identifier.optional(),
  status: z.enum(['draft', 'active', 'on-hold', 'revoked', 'completed', 'entered-in-error', 'unknown']),
  intent: z.enum([
    'proposal',
    'plan',
    'directive',
    'order',
    'original-order',
    'reflex-order',
    'filler-order',
    'instance-order',
    'option',
  ]),
  priority: z.enum(['routine', 'urgent', 'asap', 'stat']).optional(),
  code: concept.optional(),
  subject: reference,
  requester: reference.optional(),
  occurrenceDateTime: dateTime.optional(),
  reasonCode: z.array(concept).default([]),
  note: z.array(z.looseObject({ text })).default([]),
})

const specimen = z.looseObject({
  resourceType: z.literal('Specimen'),
  subject: reference.optional(),
  collection: z
    .looseObject({ collectedDateTime: dateTime.optional(), fastingStatusCodeableConcept: concept.optional() })
    .optional(),
})

const coverage = z.looseObject({
  resourceType: z.literal('Coverage'),
  beneficiary: reference,
  payor: z.array(reference).min(1),
  policyHolder: reference.optional(),
  subscriber: reference.optional(),
  subscriberId: text.optional(),
  class: z.array(z.looseObject({ type: concept, value: text })).default([]),
  order: z.number().int().positive().optional(),
})

const organization = z.looseObject({
  resourceType: z.literal('Organization'),
  identifier: z.array(identifier).default([]),
  name: text.optional(),
})

const practitioner = z.looseObject({
  resourceType: z.literal('Practitioner'),
  identifier: z.array(identifier).default([]),
  name: z.array(z.looseObject({ family: text.optional(), given: z.array(text).default([]) })).default([]),
})

const resource = z.discriminatedUnion('resourceType', [
  patient,
  serviceRequest,
  specimen,
  coverage,
  organization,
  practitioner,
])

const entry = z.looseObject({
  fullUrl: text.optional(),
  resource,
  request: z.looseObject({
    method: z.enum(['POST', 'PUT']),
    url: text,
    ifNoneExist: text.optional(),
    ifMatch: text.optional(),
  }),
})

/** More entries than any order has. */
const mostEntries = 200

const bundle = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.literal('transaction', 'must be transaction'),
  identifier: identifier.optional(),
  meta: z.looseObject({ tag: z.array(coding).default([]), security: z.array(coding).default([]) }).optional(),
  entry: z.array(entry).min(1, 'has no entries').max(mostEntries, `has more than ${mostEntries} entries`),
})

export type OrderBundle = z.infer<typeof bundle>
export type BundleEntry = OrderBundle['entry'][number]
export type BundleResource = BundleEntry['resource']
export type Concept = z.infer<typeof concept>
export type BundleReference = z.infer<typeof reference>
export type BundleIdentifier = z.infer<typeof identifier>

/** Why a Bundle is refused; the status is that of the answer. */
export interface BundleFault {
  status: 400 | 404 | 409 | 412 | 422
  path: string
  words: string
}

export type ParsedBundle = { bundle: OrderBundle; faults?: undefined } | { faults: BundleFault[] }

/** The parsed Bundle with its references resolved, or the errors in its structure. */
export const parseBundle = (body: unknown, publicUrl: string): ParsedBundle => {
  const parsed = bundle.safeParse(body)
  if (parsed.success) return { bundle: resolveReferences(parsed.data, publicUrl) }
  return {
    faults: parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
      status: 400,
      path: pathOf(path),
      words: `${pathOf(path)}: ${message}`,
    })),
  }
}

const pathOf = (path: readonly PropertyKey[]) =>
  `Bundle${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')}`

/** Unresolved or circular references between entries. */
export const linkFaults = ({ entry: entries }: OrderBundle): BundleFault[] => {
  const urls = entries.flatMap(({ fullUrl }) => fullUrl ?? [])
  const twice = urls.find((url, index) => urls.indexOf(url) !== index)
  if (twice !== undefined) return [{ status: 400, path: 'Bundle.entry.fullUrl', words: 'A fullUrl is given twice' }]
  const links = new Map(entries.map((one, index) => [one.fullUrl ?? `entry ${index}`, referencesIn(one.resource)]))
  const faults: BundleFault[] = []
  for (const [index, { resource: one }] of entries.entries())
    for (const target of referencesIn(one))
      if (target.startsWith('urn:') && !links.has(target))
        faults.push({
          status: 400,
          path: `Bundle.entry[${index}].resource`,
          words: `Bundle.entry[${index}].resource refers to ${target.slice(0, 60)}, which is not in the Bundle`,
        })
  if (faults.length > 0) return faults
  return hasCircle(links)
    ? [{ status: 422, path: 'Bundle.entry', words: 'The entries refer to each other in a circle' }]
    : []
}

const hasCircle = (links: ReadonlyMap<string, readonly string[]>): boolean => {
  const done = new Set<string>()
  const open = new Set<string>()
  const visit = (url: string): boolean => {
    if (open.has(url)) return true
    if (done.has(url)) return false
    open.add(url)
    const found = (links.get(url) ?? []).some((target) => links.has(target) && visit(target))
    open.delete(url)
    done.add(url)
    return found
  }
  return [...links.keys()].some(visit)
}
