import { can } from '@lis/contract/access/permissions.ts'
import { requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { readScan } from '@lis/contract/specimens.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useNewest } from '../../lib/use-newest.ts'

/** An accession number, scanned or typed, opens its requisition; anything else, and a number that is not there, filters the list. */
export const useScan = () => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const begin = useNewest()
  const mayOpen = can(useRole(), 'requisitions.link')
  return async (text: string, search: (text: string) => void) => {
    const isNewest = begin()
    const code = readScan(text)
    if (!code) return search(text)
    const id = code.reqId
    if (!mayOpen) return search(String(id))
    try {
      await client.fetchQuery(read(requisitionDetailRoutes.one, { params: { id } }))
      if (isNewest()) navigate(`/requisitions/${id}/show`)
    } catch {
      if (isNewest()) search(String(id))
    }
  }
}
