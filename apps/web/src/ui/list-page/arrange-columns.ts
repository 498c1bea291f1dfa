import type { ListColumns } from '@lis/contract/list-columns.ts'
import type { ColumnSetting } from '@lis/contract/list-settings.ts'
import { type Column, defaultWidth } from '../table/column.ts'

/** A column as the panel 'Columns' shows it. */
export interface ColumnChoice extends ColumnSetting {
  header: string
  isRequired: boolean
  /** At the right edge of the table, where it stays. */
  isAtEdge: boolean
  standardWidth: number
}

interface Arrangement<Row> {
  /** Every column that the user may see, pinned ones first. */
  choices: ColumnChoice[]
  /** The columns of the table. */
  shown: Column<Row>[]
}

/** How a list shows its columns when nothing is chosen. */
export const standardColumns = ({ columns, hidden = [], pinned = [] }: ListColumns): ColumnSetting[] =>
  columns.map((name) => ({ name, isVisible: !hidden.includes(name), width: null, isPinned: pinned.includes(name) }))

/** The columns in the order, widths and places that were chosen; columns that are not in the choice come last. */
export const arrangeColumns = <Row>(
  columns: readonly Column<Row>[],
  { required }: ListColumns,
  chosen: readonly ColumnSetting[],
): Arrangement<Row> => {
  const known = chosen.flatMap((setting) => {
    const column = columns.find(({ key }) => key === setting.name)
    return column ? [{ column, setting }] : []
  })
  for (const column of columns) {
    if (chosen.some(({ name }) => name === column.key)) continue
    known.push({
      column,
      setting: { name: column.key, isVisible: true, width: null, isPinned: column.isSticky === true },
    })
  }
  const rank = ({ column, setting }: (typeof known)[number]) =>
    column.isSticky === 'right' ? 2 : setting.isPinned ? 0 : 1
  const placed = known.toSorted((one, other) => rank(one) - rank(other))
  return {
    choices: placed.map(({ column, setting }) => ({
      ...setting,
      isVisible: setting.isVisible || required.includes(column.key),
      header: column.header,
      isRequired: required.includes(column.key),
      isAtEdge: column.isSticky === 'right',
      standardWidth: column.width ?? defaultWidth,
    })),
    shown: placed
      .filter(({ column, setting }) => setting.isVisible || required.includes(column.key))
      .map(({ column, setting }) => {
        const { isSticky, ...rest } = column
        const sticky = isSticky === 'right' ? 'right' : setting.isPinned
        return {
          ...rest,
          ...(sticky && { isSticky: sticky }),
          ...(setting.width !== null && { width: setting.width, isExactWidth: true }),
        }
      }),
  }
}

export const toSettings = (choices: readonly ColumnChoice[]): ColumnSetting[] =>
  choices.map(({ name, isVisible, width, isPinned }) => ({ name, isVisible, width, isPinned }))

/** Moves a column before another place; pinned columns stay among themselves, and so do those at the edge. */
export const moveColumn = (choices: readonly ColumnChoice[], name: string, to: number): ColumnChoice[] => {
  const from = choices.findIndex((choice) => choice.name === name)
  const moved = choices[from]
  if (!moved) return [...choices]
  const group = choices.filter((choice) => groupOf(choice) === groupOf(moved))
  const first = choices.indexOf(group[0] as ColumnChoice)
  const place = Math.max(first, Math.min(to, first + group.length - 1))
  const others = choices.filter((choice) => choice !== moved)
  return [...others.slice(0, place), moved, ...others.slice(place)]
}

/** In the panel: pinned, shown, fixed at the right edge, hidden. */
export const groupOf = ({ isPinned, isVisible, isAtEdge }: ColumnChoice) =>
  isAtEdge ? 'edge' : isPinned ? 'pinned' : isVisible ? 'shown' : 'hidden'

/** Pinned columns, then shown ones, then hidden ones, then those at the edge: the order of the panel. */
export const panelOrder = (choices: readonly ColumnChoice[]): ColumnChoice[] => {
  const groups = ['pinned', 'shown', 'edge', 'hidden']
  return choices.toSorted((one, other) => groups.indexOf(groupOf(one)) - groups.indexOf(groupOf(other)))
}
