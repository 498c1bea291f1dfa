import { can } from '@lis/contract/access/permissions.ts'
import { requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { parseScannedCode } from '@lis/contract/specimens.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useLatestRequest } from '../../lib/use-latest-request.ts'

/** A scanned or typed accession number opens its requisition; other text, or an unknown number, filters the list. */
export const useScan = () => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const begin = useLatestRequest()
  const mayOpen = can(useRole(), 'requisitions.link')
  return async (text: string, search: (text: string) => void) => {
    const isNewest = begin()
    const code = parseScannedCode(text)
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
