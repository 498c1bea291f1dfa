import { createContext, useContext } from 'react'

/** The name of the row under which something stands; null elsewhere. */
export const UnderRow = createContext<string | null>(null)

/** Many of the same kind may be open under the rows of a list: readers tell them apart by their row. */
export const useNameUnderRow = (title: string): string => {
  const row = useContext(UnderRow)
  return row === null ? title : `${title} of ${row}`
}
