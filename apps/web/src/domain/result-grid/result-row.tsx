import { reqTestLabels as labels, type ReqTest } from '@lis/contract/requisition-tests.ts'
import { rangeText } from '@lis/contract/results/display.ts'
import { formatTimestamp } from '../../lib/formats.ts'
import { RowCheckbox } from '../../ui/table/check.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import type { FailCode } from '../fail-codes.tsx'
import { CodeCell } from './code-cell.tsx'
import type { GridCell, ResultGridStore } from './grid-store.ts'
import { Interpretation, RangeBar } from './interpretation.tsx'
import { ResultCell } from './result-cell.tsx'

export interface Selection {
  selected: ReadonlySet<number>
  onChange: (ids: ReadonlySet<number>) => void
}

interface ResultRowProps {
  row: ReqTest
  index: number
  cell: GridCell | undefined
  store: ResultGridStore
  seesResults: boolean
  /** Of the whole requisition. */
  failCodes: readonly FailCode[]
  codesAreOpen: boolean
  isQuestionShown: boolean
  selection: Selection | undefined
  onFocus: () => void
  onPaste: (text: string) => void
  onCancelModify: () => void
}

export const ResultRow = (props: ResultRowProps) => {
  const { row, index, seesResults, failCodes, codesAreOpen, selection } = props
  const isSelected = selection?.selected.has(row.id) ?? false
  const range = (band: string) => {
    const found = row.ranges.find((one) => one.band === band)
    return found && rangeText(found)
  }
  const isUnreported = failCodes.length > 0
  const isLocked = !codesAreOpen || row.isRetest === 1
  return (
    <tr
      className={
        [isSelected && 'selected', isUnreported && 'unreported', row.isRetest === 1 && 'replaced']
          .filter(Boolean)
          .join(' ') || undefined
      }
    >
      {selection && (
        <td className="ctl">
          <RowCheckbox
            aria-label={`Select ${row.testCode}`}
            checked={isSelected}
            disabled={row.isRetest === 1}
            onChange={() => selection.onChange(toggled(selection.selected, row.id))}
          />
        </td>
      )}
      <th scope="row">{row.testCode}</th>
      <td>
        {row.isRetest === 1 && 'Retested: '}
        {row.testDesc}
      </td>
      {seesResults && <ResultCell {...props} />}
      <td className="muted" data-label={labels.units}>
        {row.units}
      </td>
      {seesResults && (
        <>
          <td className="num strong" data-label={labels.reportableResult} title={row.comment ?? undefined}>
            {!isUnreported && row.reportableResult}
          </td>
          <td data-label={labels.interpretation}>
            <Interpretation row={row} cell={props.cell} isUnreported={isUnreported} />
          </td>
          <td data-label={labels.range}>
            <RangeBar row={isUnreported ? { ...row, band: null } : row} />
          </td>
        </>
      )}
      <td className="num limits" data-label={labels.normal}>
        {range('normal')}
      </td>
      <td className="num limits muted" data-label={labels.borderline}>
        {range('borderline')}
      </td>
      <td className="num limits muted" data-label={labels.unfavorable}>
        {range('unfavorable')}
      </td>
      {seesResults && (
        <td className="num" data-label={labels.previous} title={row.previous ? previousTitle(row) : undefined}>
          {row.previous ? (row.previous.reportableResult ?? row.previous.result) : '–'}
        </td>
      )}
      <td data-label={labels.processDate}>{row.processDate && <Timestamp at={row.processDate} zone={row.labTz} />}</td>
      <td data-label={labels.testFailCodes}>
        <CodeCell row={row} index={index} type="FAIL" requisitionCodes={failCodes} isLocked={isLocked} />
      </td>
      <td data-label={labels.testPassCodes}>
        <CodeCell row={row} index={index} type="PASS" isLocked={isLocked} />
      </td>
    </tr>
  )
}

const previousTitle = ({ previous, labTz }: ReqTest) =>
  previous ? `#${previous.reqId}, ${Object.values(formatTimestamp(previous.processDate, labTz)).join(' ')}` : ''

const toggled = (ids: ReadonlySet<number>, id: number): ReadonlySet<number> => {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
