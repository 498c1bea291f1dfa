import { namesOf } from '../../platform/http/public-address.ts'

export const fhirPath = '/fhir/R4'

/** The parts of a Bundle that are needed to resolve references. */
interface Linked {
  entry: { fullUrl?: string | undefined; resource: object }[]
}

/** Our resource, referred to by a Bundle. */
export interface OwnReference {
  type: string
  id: string
}

/** `Type/id`: after `resolveReferences` only our own resources have this form. */
export const readOwnReference = (reference: string | undefined): OwnReference | null => {
  const [, type, id] = /^([A-Z][A-Za-z]*)\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(reference ?? '') ?? []
  return type === undefined || id === undefined ? null : { type, id }
}

/**
 * Every reference of a Bundle in one form: the `fullUrl` of an entry, `Type/id` of a resource of ours, or the whole address of another
 * system's. `Type/id` in an entry whose fullUrl is on another system is a resource of that system, even if we have one with this id.
 */
export const resolveReferences = <Bundle extends Linked>(bundle: Bundle, publicUrl: string): Bundle => {
  const bases = namesOf(publicUrl).map((name) => `${name}${fhirPath}/`)
  const fullUrls = new Set(bundle.entry.flatMap(({ fullUrl }) => fullUrl ?? []))
  const withoutBase = (reference: string) => {
    const base = bases.find((one) => reference.startsWith(one))
    return base === undefined ? reference : reference.slice(base.length)
  }
  const entry = bundle.entry.map((one) => {
    const [, root = ''] = /^(https?:\/\/.+\/)[A-Z][A-Za-z]*\/[^/]+$/.exec(one.fullUrl ?? '') ?? []
    const resolve = (reference: string) => {
      if (fullUrls.has(reference)) return reference
      const address = readOwnReference(reference) ? `${root}${reference}` : reference
      return fullUrls.has(address) ? address : withoutBase(address)
    }
    return { ...one, resource: mapReferences(one.resource, resolve) }
  })
  return { ...bundle, entry }
}

const mapReferences = <Value>(value: Value, resolve: (reference: string) => string): Value => {
  if (Array.isArray(value)) return value.map((one) => mapReferences(one, resolve)) as Value
  if (typeof value !== 'object' || value === null) return value
  const mapped = Object.entries(value).map(([name, one]) => [
    name,
    name === 'reference' && typeof one === 'string' ? resolve(one) : mapReferences(one, resolve),
  ])
  return Object.fromEntries(mapped)
}

/** Every reference in a value, at any depth. */
export const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'reference' && typeof one === 'string' ? [one] : referencesIn(one),
  )
}

/** Our resources that a Bundle refers to, each once. */
export const ownReferencesIn = ({ entry }: Linked): OwnReference[] => {
  const fullUrls = new Set(entry.map(({ fullUrl }) => fullUrl))
  const found = new Set(entry.flatMap(({ resource }) => referencesIn(resource)))
  return [...found].flatMap((one) => (fullUrls.has(one) ? [] : (readOwnReference(one) ?? [])))
}
