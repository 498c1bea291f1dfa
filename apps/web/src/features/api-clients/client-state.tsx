import type { ApiClient } from '@lis/contract/api-clients.ts'
import { Tag } from '../../ui/tag.tsx'

export const clientStates: Record<ApiClient['state'], readonly [words: string, tone: 'success' | 'warning' | 'error']> =
  {
    ACTIVE: ['Active', 'success'],
    EXPIRED: ['Expired', 'warning'],
    REVOKED: ['Revoked', 'error'],
  }

export const ClientState = ({ state }: { state: ApiClient['state'] }) => {
  const [words, tone] = clientStates[state]
  return <Tag className={tone}>{words}</Tag>
}
