import { type BoxAddress, type FreezerBox, freezerRoutes } from '@lis/contract/spec-locations.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'

const refreshMs = 15_000
const noAddress: BoxAddress = { labId: 1, freezer: '-', shelf: '-', rack: '-', box: '-' }

/** The box at an address, kept up to date. Never from an old cache entry: slots are chosen by it. */
export const useBox = (address: BoxAddress | undefined) => {
  const client = useQueryClient()
  const query = read(freezerRoutes.box, { params: address ?? noAddress })
  const { data, error } = useQuery({
    ...query,
    enabled: address !== undefined,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: refreshMs,
  })
  return {
    box: address ? data?.data : undefined,
    error,
    /** The known data of the box before it is read again. */
    change: (edit: (box: FreezerBox) => FreezerBox) =>
      client.setQueryData(query.queryKey, (before) => before && { ...before, data: edit(before.data) }),
    refresh: () =>
      void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('labs/') }),
  }
}
