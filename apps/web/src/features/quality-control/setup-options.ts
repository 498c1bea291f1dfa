import { instrumentRoutes } from '@lis/contract/instruments.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import { type QcLot, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../lib/query.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'

/** The options of the forms. */
export const useSetupOptions = () => {
  const instruments = useQuery(readList(instrumentRoutes.list, undefined, allRows)).data?.data
  const tests = useQuery(read(lookupRoutes.defaultTests, { query: {} })).data?.data
  const lots = useQuery(read(qualityControlRoutes.lots)).data?.data
  return useMemo(
    () => ({
      instruments: (instruments ?? []).map(({ id, name }) => ({ value: id, label: name })),
      tests: (tests ?? []).map(({ testCode, testDesc }) => ({ value: testCode, label: `${testCode}, ${testDesc}` })),
      lots: (lots ?? []).map((lot) => ({ value: lot.id, label: lotText(lot) })),
    }),
    [instruments, tests, lots],
  )
}
export type SetupOptions = ReturnType<typeof useSetupOptions>

export const lotText = ({ materialName, level, lotNumber }: QcLot) =>
  `${materialName}, level ${level}, lot ${lotNumber}`
