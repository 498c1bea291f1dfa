import { createContext, useContext } from 'react'

/** The name of the row that contains a sub-table; null elsewhere. */
export const RowNameContext = createContext<string | null>(null)

/** Many sub-tables of the same kind may be open: screen readers distinguish them by their row. */
export const useNameWithRow = (title: string): string => {
  const row = useContext(RowNameContext)
  return row === null ? title : `${title} of ${row}`
}
