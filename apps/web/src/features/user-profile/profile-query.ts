import { userRoutes } from '@lis/contract/users.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { useSession } from '../../lib/session.ts'

/** The record of the signed-in user. */
export const useOwnRecord = () => useQuery(read(userRoutes.one, { params: { id: useSession()?.access.userId ?? 0 } }))
