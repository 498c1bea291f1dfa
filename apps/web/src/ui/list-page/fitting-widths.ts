/** Padding of a cell, and space for the arrow of a sorted heading. */
const extra = 22
const [narrowest, widest] = [48, 480]

/** The width at which every text of a column fits, by the name of the column; of the rows that are on the page. */
export const fittingWidths = (label: string, names: readonly string[]): Map<string, number> => {
  const table = document.querySelector<HTMLTableElement>(`table[aria-label="${CSS.escape(label)}"]`)
  const rows = table
    ? [...table.querySelectorAll<HTMLTableRowElement>(':scope > thead > tr, :scope > tbody > tr.row')]
    : []
  const range = document.createRange()
  const widthOf = (cell: HTMLTableCellElement | undefined) => {
    if (!cell) return 0
    range.selectNodeContents(cell)
    return range.getBoundingClientRect().width
  }
  return new Map(
    names.map((name, index) => {
      const widths = rows.map(({ cells }) => widthOf(cells[cells.length - names.length + index]))
      return [name, Math.round(Math.min(widest, Math.max(narrowest, ...widths.map((width) => width + extra))))]
    }),
  )
}
