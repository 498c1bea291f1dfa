import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/lists.ts'
import type { FhirTypeName } from './type-names.ts'

/** Who reads, under which address. */
export interface Reader {
  db: Db
  actor: Actor
  /** The address of the service, without a slash at its end. */
  base: string
}

/** One value of a search parameter, before its meaning is known: `ge2026-01-01`, `system|code`. */
export interface SearchInput {
  values: readonly string[]
  modifier: string | null
}

export interface SearchParam {
  type: 'token' | 'string' | 'date' | 'reference'
  condition: (input: SearchInput, reader: Reader) => Sql
  /** Of a reference: the element of the resource that holds it, and the types it can point at. */
  element?: string
  targets?: readonly FhirTypeName[]
}

/** A coded value or identifier that a resource has, for tokens. */
export interface TokenSource {
  /** Null: the condition itself looks at the system. */
  system: string | null
  /** An element of type code, whose system is implied: it is found without one too. */
  isCode?: boolean
  /** The condition on the code, null for any, and on the system: null for any, empty for none. */
  is: (code: string | null, system: string | null) => Sql
}
