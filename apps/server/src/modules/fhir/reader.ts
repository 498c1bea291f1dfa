import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/lists.ts'
import type { FhirTypeName } from './type-names.ts'

/** The caller, and the base address of the service. */
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
  /** Of a reference: the element that contains it, and the types it can refer to. */
  element?: string
  targets?: readonly FhirTypeName[]
}

/** A coded value or identifier that a resource has, for tokens. */
export interface TokenSource {
  /** Null: the condition checks the system itself. */
  system: string | null
  /** An element of type code, whose system is implied: it is also found without one. */
  isCode?: boolean
  /** The condition on the code, null for any, and on the system: null for any, empty for none. */
  is: (code: string | null, system: string | null) => Sql
}
