import { type ClientInput, clientInput, clientLabels } from '@lis/contract/clients.ts'
import type { Trx } from '../../platform/db/db.ts'
import { invalid } from '../../platform/errors.ts'
import { findClientByLegacyId, lockAndFindDuplicates } from '../clients/queries.ts'
import { createClient } from '../clients/service.ts'
import type { Loader } from './loader.ts'
import { cellReader, getReferences, type References } from './references.ts'
import { isSameName, nonEmptyCells, parseFlag, parseRow, rowByRow } from './row-by-row.ts'

/**
 * Clients. One that exists by its Client ID, or without one by name and zip, is skipped and never overwritten. A row with the Client ID
 * of another client is refused: orders would refer to the wrong practice from then on.
 */
export const clientLoader = (): Loader =>
  rowByRow({
    write: async (call, cells, seen) => {
      const input = readClient(cells, await getReferences(call.db))
      const { legacyClientId, clientName, clientZip } = input
      const key = legacyClientId?.toUpperCase() ?? `${clientName.toLowerCase()}|${clientZip}`
      if (await isExistingClient(call.db, input, seen.get(key))) return false
      await createClient(call, input)
      seen.set(key, [clientName])
      return true
    },
  })

const readClient = (cells: Record<string, string>, references: References): ClientInput => {
  const { faults, one, many } = cellReader(cells)
  const clientCountryId = one('clientCountryId', references.country)
  const body = {
    ...nonEmptyCells(cells),
    clientCountryId,
    clientStateId: one('clientStateId', references.state, clientCountryId ?? null),
    colaId: one('colaId', references.collaborator),
    serviceId: one('serviceId', references['service rep']),
    labIds: many('labIds', references.laboratory),
    salesIds: many('salesIds', references['sales rep']),
    isContractPhleb: parseFlag(cells.isContractPhleb),
  }
  return parseRow(clientInput, body, faults)
}

/** Exists in the database or in an earlier row, of which a dry run keeps only the name. */
const isExistingClient = async (
  trx: Trx,
  { legacyClientId, clientName, clientZip }: ClientInput,
  before: readonly string[] | undefined,
): Promise<boolean> => {
  if (!legacyClientId)
    return before !== undefined || (await lockAndFindDuplicates(trx, clientName, clientZip, 0)).length > 0
  const owner = await findClientByLegacyId(trx, legacyClientId, clientName)
  const [earlier = owner?.clientName] = before ?? []
  if (earlier === undefined) return false
  if (!(owner ? owner.isSame : isSameName(earlier, clientName)))
    throw invalid('legacyClientId', `${clientLabels.legacyClientId} ${legacyClientId} belongs to ${earlier}`)
  return true
}
