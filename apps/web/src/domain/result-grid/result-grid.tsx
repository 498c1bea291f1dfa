import { can } from '@lis/contract/access/permissions.ts'
import { type Filters, formatFilter } from '@lis/contract/kit/list-query.ts'
import { reqTestLabels as labels, type ReqTest, reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { formatDateInZone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { RowCheckbox } from '../../ui/table/check.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { useDeferredMount } from '../../ui/use-deferred-mount.ts'
import { type FailCode, useFailCodes } from '../fail-codes.tsx'
import { GridFooter, InfoBar } from './grid-bars.tsx'
import { GridFrame } from './grid-frame.tsx'
import { moveByKey } from './grid-keys.ts'
import { matchOption, pastedColumn } from './grid-store.ts'
import { ResultRow, type Selection } from './result-row.tsx'
import { useResultGrid } from './use-result-grid.ts'

const RequisitionCodes = styled('div')({ flex: 'none', padding: '8px 16px', borderTop: '1px solid var(--line)' })

/** The tests table shows a hundred rows (TEST-69). */
const pageSize = '100'

/** The tests of a requisition; shared by all parts of the page with the same filter. */
export const useReqTests = (requisitionId: number, filters: Filters = {}) =>
  useQuery({
    ...read(reqTestRoutes.list, {
      params: { id: requisitionId },
      query: {
        page: '1',
        perPage: pageSize,
        ...(Object.keys(filters).length > 0 && { filter: formatFilter(filters) }),
      },
    }),
    // Keeps the rows while another filter is loading, but never those of another requisition.
    placeholderData: (rows, before) => (belongsTo(before?.queryKey[1], requisitionId) ? rows : undefined),
  })

const belongsTo = (params: unknown, requisitionId: number) => (params as { id: number } | null)?.id === requisitionId

interface ResultGridProps {
  requisitionId: number
  filters?: Filters
  selection?: Selection
  /** Fail and pass codes may be chosen while the tests can still be changed. */
  codesAreOpen?: boolean
  /** How a saved result can be changed here, as a hint. */
  toChange?: string | undefined
  /** Replaces the counts at the bottom. */
  footer?: ReactNode
}

/**
 * The tests of a requisition as a spreadsheet: arrow keys and Enter move, a pasted column fills several cells, input is saved
 * automatically.
 */
export const ResultGrid = ({ requisitionId, filters, ...rest }: ResultGridProps) => {
  const tests = useReqTests(requisitionId, filters)
  const codes = useFailCodes(requisitionId)
  // Without the fail codes, results would look reported.
  const isDrawn = useDeferredMount(tests.data !== undefined && codes.data !== undefined)
  if (isDrawn && tests.data && codes.data)
    return (
      <Grid key={requisitionId} requisitionId={requisitionId} rows={tests.data.data} failCodes={codes.data} {...rest} />
    )
  const failed = [tests, codes].filter(({ isError }) => isError)
  const [first] = failed
  if (first?.error)
    return <LoadFailed error={first.error} onRetry={() => Promise.all(failed.map(({ refetch }) => refetch()))} />
  return <LoadingState label="Data loading" />
}

const Grid = ({
  requisitionId,
  rows,
  failCodes,
  selection,
  codesAreOpen = false,
  toChange,
  footer,
}: Omit<ResultGridProps, 'filters'> & { rows: readonly ReqTest[]; failCodes: readonly FailCode[] }) => {
  const seesResults = can(useRole(), 'tests.seeResults')
  const { store, cells } = useResultGrid(requisitionId, rows)
  const [focusedId, setFocusedId] = useState<number>()
  const cancelModify = useSave(reqTestRoutes.cancelModify)
  const questioned = questionOf(rows, cells, focusedId)
  const pasteFrom = (index: number, text: string) => {
    const values = pastedColumn(text)
    const targets = rows.slice(index).filter(({ isCalculated, isRetest }) => !isCalculated && !isRetest)
    store.paste(
      targets
        .slice(0, values.length)
        .map((row, place) => ({ row, text: values[place] ?? '' }))
        .filter(({ row, text: value }) => row.isEditable === 1 && value !== '')
        .map(({ row, text: value }) => ({ id: row.id, text: row.options ? matchOption(row.options, value) : value })),
    )
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && hasWaiting(cells)) {
      event.preventDefault()
      store.undoWaiting()
      return
    }
    moveByKey(event)
  }
  if (rows.length === 0) return <EmptyState title="Empty Table">No tests</EmptyState>
  return (
    <>
      {seesResults && (
        <InfoBar
          row={rows.find(({ id }) => id === focusedId)}
          rows={rows}
          cells={cells}
          toChange={toChange}
          onUndo={store.undoWaiting}
        />
      )}
      {failCodes.length > 0 && (
        <RequisitionCodes>
          <Banner type="error">
            Fail code on this requisition: {failCodes.map(({ code, text }) => `${code} ${text}`).join(', ')}. Its tests
            are reported as not performed{seesResults && ', whatever has been entered here'}.
          </Banner>
        </RequisitionCodes>
      )}
      <GridFrame onKeyDown={onKeyDown} tabIndex={0} role="group" aria-label="Tests, scrolling area">
        <table aria-label="Tests" style={{ minWidth: seesResults ? 1340 : 860 }}>
          <Head rows={rows} seesResults={seesResults} selection={selection} />
          <tbody>
            {rows.map((row, index) => (
              <ResultRow
                key={row.id}
                row={row}
                index={index}
                cell={cells.get(row.id)}
                store={store}
                seesResults={seesResults}
                failCodes={failCodes}
                codesAreOpen={codesAreOpen}
                isQuestionShown={questioned === row.id}
                selection={selection}
                onFocus={() => setFocusedId(row.id)}
                onPaste={(text) => pasteFrom(index, text)}
                onCancelModify={() =>
                  cancelModify({ params: { id: requisitionId, testId: row.id } }).catch(() => undefined)
                }
              />
            ))}
          </tbody>
        </table>
      </GridFrame>
      {footer ?? <GridFooter rows={rows} cells={cells} seesResults={seesResults} isUnreported={failCodes.length > 0} />}
    </>
  )
}

type Cells = ReturnType<typeof useResultGrid>['cells']

const hasWaiting = (cells: Cells) => [...cells.values()].some(({ status }) => status === 'waiting')

/** One question at a time: that of the focused cell, otherwise the first. */
const questionOf = (rows: readonly ReqTest[], cells: Cells, focusedId: number | undefined) => {
  const doubtful = rows.filter(({ id }) => cells.get(id)?.status === 'doubtful')
  return (doubtful.find(({ id }) => id === focusedId) ?? doubtful[0])?.id
}

interface HeadProps {
  rows: readonly ReqTest[]
  seesResults: boolean
  selection: Selection | undefined
}

const Head = ({ rows, seesResults, selection }: HeadProps) => {
  const current = rows.filter(({ isRetest }) => isRetest === 0)
  const columns: [label: string, width: number, isNumber?: boolean][] = [
    [labels.testCode, 80],
    [labels.testDesc, 140],
    ...(seesResults ? [[labels.result, 128, true] as [string, number, boolean]] : []),
    [labels.units, 60],
    ...(seesResults
      ? ([
          [labels.reportableResult, 84, true],
          [labels.interpretation, 118],
          [labels.range, 92],
        ] as [string, number, boolean?][])
      : []),
    [labels.normal, 80, true],
    [labels.borderline, 84, true],
    [labels.unfavorable, 86, true],
    ...(seesResults ? [[previousLabel(rows), 76, true] as [string, number, boolean]] : []),
    [labels.processDate, 132],
    [labels.testFailCodes, 88],
    [labels.testPassCodes, 96],
  ]
  return (
    <thead>
      <tr>
        {selection && (
          <th className="ctl" style={{ width: 40 }}>
            <RowCheckbox
              aria-label="Select all tests"
              checked={current.length > 0 && selection.selected.size === current.length}
              isMixed={selection.selected.size > 0 && selection.selected.size < current.length}
              onChange={(event) => selection.onChange(new Set(event.target.checked ? current.map(({ id }) => id) : []))}
            />
          </th>
        )}
        {columns.map(([label, width, isNumber]) => (
          <th
            key={label}
            scope="col"
            className={isNumber ? 'num' : label === labels.testCode ? 'first' : undefined}
            style={{ width }}
          >
            {label}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** With its date if all earlier results are of the same day. */
const previousLabel = (rows: readonly ReqTest[]): string => {
  const days = new Set(
    rows.flatMap(({ previous, labTz }) => (previous ? [formatDateInZone(previous.processDate, labTz)] : [])),
  )
  return days.size === 1 ? `${labels.previous} ${[...days][0]}` : labels.previous
}
