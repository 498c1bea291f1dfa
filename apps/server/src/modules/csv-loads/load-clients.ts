import { clientInput } from '@lis/contract/clients.ts'
import { findTwins, isLegacyIdTaken } from '../clients/queries.ts'
import { createClient } from '../clients/service.ts'
import type { Loader } from './loader.ts'
import { filled, flagOf, listOf, parseRow, rowByRow } from './row-by-row.ts'

/** Clients. A known Client ID, or without one a known name and zip, is skipped and never overwritten. */
export const clientLoader = (): Loader =>
  rowByRow({
    write: async (call, cells, seen) => {
      const input = parseRow(clientInput, {
        ...filled(cells),
        labIds: listOf(cells.labIds),
        salesIds: listOf(cells.salesIds),
        isContractPhleb: flagOf(cells.isContractPhleb),
        confirmDuplicate: true,
      })
      const { legacyClientId, clientName, clientZip } = input
      const key = legacyClientId?.toUpperCase() ?? `${clientName.toLowerCase()}|${clientZip}`
      const isKnown =
        seen.has(key) ||
        (legacyClientId
          ? await isLegacyIdTaken(call.db, legacyClientId)
          : (await findTwins(call.db, clientName, clientZip, 0)).length > 0)
      if (isKnown) return false
      await createClient(call, input)
      seen.set(key, [])
      return true
    },
  })
