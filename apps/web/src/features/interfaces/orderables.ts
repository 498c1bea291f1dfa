import { type CodeInput, interfaceRoutes, type Orderable } from '@lis/contract/interfaces.ts'
import type { Option } from '@lis/contract/lookups.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'

/** A test or panel as the value of a choice: 't12', 'p3'. */
export const orderableKey = ({ testId, panelId }: Pick<Orderable, 'testId' | 'panelId'>): string =>
  testId !== null ? `t${testId}` : `p${panelId}`

export const codeMeaning = (code: string, key: string): CodeInput => {
  const id = Number(key.slice(1))
  return key.startsWith('t') ? { code, testId: id, panelId: null } : { code, testId: null, panelId: id }
}

const minute = 60_000

/** The tests and panels that a code of a partner can mean. */
export const useOrderables = (): { options: readonly Option[]; codeOf: (key: string) => string } => {
  const { data } = useQuery({ ...read(interfaceRoutes.orderables), staleTime: 5 * minute })
  const orderables = data?.data ?? []
  return {
    options: orderables.map((one) => ({
      value: orderableKey(one),
      label: `${one.code} ${one.name}${one.panelId === null ? '' : ' (panel)'}`,
    })),
    codeOf: (key) => orderables.find((one) => orderableKey(one) === key)?.code ?? '',
  }
}
