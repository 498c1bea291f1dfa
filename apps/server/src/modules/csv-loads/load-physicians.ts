import {
  isNpi,
  type PhysicianInput,
  type PossibleDuplicatePhysician,
  physicianInput,
  physicianMessages,
} from '@lis/contract/physicians.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { anyText } from '../../platform/db/expressions.ts'
import { invalid } from '../../platform/errors.ts'
import { lockAndFindDuplicates } from '../physicians/queries.ts'
import { addPairs, createPhysician } from '../physicians/service.ts'
import type { Loader } from './loader.ts'
import { splitCell } from './references.ts'
import { isSameName, nonEmptyCells, parseRow, rowByRow } from './row-by-row.ts'

/** Physicians. An existing one with the same NPI gets the clients of the row and is otherwise unchanged. */
export const physicianLoader = (): Loader =>
  rowByRow({
    write: async (call, cells, seen) => {
      const input = parseRow(physicianInput, {
        ...nonEmptyCells(cells),
        clientIds: splitCell(cells.clientIds),
      })
      if (!isNpi(input.npiNumber)) throw invalid('npiNumber', physicianMessages.npiCheck)
      const named = await clientsNamed(call.db, splitCell(cells.legacyClientId))
      const clientIds = [...new Set([...input.clientIds, ...named])]
      const known = knownPhysician(await lockAndFindDuplicates(call.db, input.npiNumber, null), input)
      const key = `${input.npiNumber}|${clientIds.toSorted().join()}`
      if (!known) {
        if (seen.has(key)) return false
        await createPhysician(call, { ...input, clientIds })
        seen.set(key, [])
        return true
      }
      const missing = await findMissingPairs(call.db, known.id, clientIds)
      await addPairs(
        call,
        missing.map((clientId) => ({ clientId, physId: known.id })),
      )
      return missing.length > 0
    },
  })

/** Two physicians may share an NPI by mistake; which one is meant must not be guessed, so only their names decide. */
const knownPhysician = (
  sharingNpi: readonly PossibleDuplicatePhysician[],
  row: PhysicianInput,
): PossibleDuplicatePhysician | undefined => {
  if (sharingNpi.length < 2) return sharingNpi[0]
  const named = sharingNpi.filter(
    (one) => isSameName(one.physLastName, row.physLastName) && isSameName(one.physFirstName, row.physFirstName),
  )
  const [meant, ...others] = named
  if (meant && others.length === 0) return meant
  const candidates = (meant ? named : sharingNpi).map(
    ({ id, physLastName, physFirstName, physTitle }) => `${physLastName}, ${physFirstName}, ${physTitle} (ID ${id})`,
  )
  throw invalid(
    'npiNumber',
    `Several physicians have this NPI#, and the name does not tell which one is meant: ${candidates.join('; ')}`,
  )
}

const clientsNamed = async (trx: Trx, legacyIds: readonly string[]): Promise<number[]> => {
  if (legacyIds.length === 0) return []
  const rows = await trx
    .selectFrom('client')
    .select((eb) => ['id', eb.fn<string>('upper', ['legacy_client_id']).as('legacy')])
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb(eb.fn<string>('upper', ['legacy_client_id']), '=', anyText(legacyIds.map((text) => text.toUpperCase()))),
    )
    .execute()
  const unknown = legacyIds.find((text) => !rows.some(({ legacy }) => legacy === text.toUpperCase()))
  if (unknown !== undefined) throw invalid('legacyClientId', `There is no client ${unknown}`)
  return rows.map(({ id }) => id)
}

const findMissingPairs = async (trx: Trx, physId: number, clientIds: readonly number[]): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select x.id from unnest(${clientIds}::bigint[]) as x(id) where not exists (
      select from client_physician p where p.client_id = x.id and p.physician_id = ${physId} and p.deleted_at is null)`.execute(
    trx,
  )
  return rows.map(({ id }) => Number(id))
}
