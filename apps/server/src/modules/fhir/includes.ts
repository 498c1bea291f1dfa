import type { Reference, Resource } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import { type BaseRow, type FhirType, readRows, selectKeys } from './definition.ts'
import type { Reader } from './reader.ts'
import type { Include } from './search-query.ts'
import { findType } from './types.ts'
import { makeResource } from './versions.ts'

/** Rows of one type. */
export interface Loaded {
  definition: FhirType
  rows: BaseRow[]
}

interface IncludeCall {
  reader: Reader
  mayRead: (type: string) => boolean
}

const mostIncluded = 1000

/** The included resources, each once, and whether there were more. */
export const findIncluded = async (
  { reader, mayRead }: IncludeCall,
  includes: readonly Include[],
  matches: Loaded,
): Promise<{ loaded: Loaded[]; isCut: boolean }> => {
  if (includes.length === 0 || matches.rows.length === 0) return { loaded: [], isCut: false }
  const resources = matches.rows.map((row) => makeResource(matches.definition, row, reader))
  const wanted = new Map<FhirType, Set<number>>()
  let isCut = false
  const want = (definition: FhirType, keys: readonly number[]) => {
    if (!mayRead(definition.type)) return
    const known = wanted.get(definition) ?? new Set()
    for (const key of keys) known.add(key)
    wanted.set(definition, known)
  }
  for (const include of includes) {
    if (!include.isReverse) {
      for (const { type, key } of referencesOf(resources, include)) want(type, [key])
    } else if (mayRead(include.source.type)) {
      const keys = await findReferring(include, reader, resources)
      isCut ||= keys.length > mostIncluded
      want(include.source, keys.slice(0, mostIncluded))
    }
  }
  const shown = new Set(matches.rows.map(({ key }) => key))
  const loaded: Loaded[] = []
  for (const [definition, keys] of wanted) {
    const others = definition === matches.definition ? [...keys].filter((key) => !shown.has(key)) : [...keys]
    loaded.push({ definition, rows: await readRows(definition, reader, others) })
  }
  return { loaded, isCut }
}

const referencesOf = (resources: readonly Resource[], { source, param, target }: Include) => {
  const element = source.params[param]?.element ?? ''
  return resources.flatMap((resource) => {
    const value = (resource as unknown as Record<string, Reference | Reference[] | undefined>)[element]
    return [value].flat().flatMap((one) => {
      const [name = '', id = ''] = one?.reference?.split('/') ?? []
      const type = findType(name)
      const key = type?.keyOf(id) ?? null
      return type && key !== null && (target === null || target === name) ? [{ type, key }] : []
    })
  })
}

const findReferring = ({ source, param }: Include, reader: Reader, resources: readonly Resource[]) => {
  const values = resources.map(({ resourceType, id }) => `${resourceType}/${id}`)
  const condition = source.params[param]?.condition({ values, modifier: null }, reader) ?? sql`false`
  return selectKeys(source, reader, {
    where: [...source.where(reader), condition],
    order: source.keyed?.order ?? source.key,
    limit: mostIncluded + 1,
  })
}
