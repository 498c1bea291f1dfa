import { styled } from '@mui/material/styles'
import { memo, type ReactNode } from 'react'
import { checkboxRules, RowCheckbox } from './check.tsx'
import type { Layout } from './column.ts'
import { RowNameContext } from './row-name-context.ts'
import type { RowOutcome } from './row-outcome.ts'
import { RowOutcomeMark } from './row-outcome-mark.tsx'
import type { TableBodyProps } from './table-body.tsx'
import { skeletonStyle } from './table-frame.tsx'
import { ChevronRightIcon } from './table-icons.tsx'
import type { ModelRow } from './table-model.ts'

/** Rows as cards, for phones. */
export const CardList = styled('ul')({
  flex: '1 1 auto',
  minHeight: 0,
  overflow: 'auto',
  display: 'flex',
  flexDirection: 'column',
  gap: 8,
  padding: '8px 12px',
  background: 'var(--bg)',
  '& > li': {
    flex: 'none',
    display: 'flex',
    flexDirection: 'column',
    gap: 8,
    padding: 12,
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-lg)',
    background: 'var(--surface)',
    boxShadow: 'var(--shadow-1)',
  },
  '& > li.sel': { borderColor: 'var(--p)', background: 'var(--selected)', boxShadow: '0 0 0 1px var(--p)' },
  ...checkboxRules,
  '& .head': { display: 'flex', alignItems: 'center', gap: 8, minHeight: 20 },
  // A long file name or address wraps.
  '& .head > .strong, & a.row-link, & .title': { minWidth: 0, overflowWrap: 'anywhere' },
  // Wide enough for an accession number, which must not be broken.
  '& .head > .strong, & .head > a.row-link': { minWidth: '4.6em' },
  '& .head > .end': { marginLeft: 'auto', display: 'flex', alignItems: 'center', gap: 8 },
  '& .end > span:empty': { display: 'none' },
  '& a.row-link': {
    color: 'var(--link)',
    fontSize: 13,
    fontWeight: 600,
    textDecoration: 'none',
    padding: '4px 0',
    margin: '-4px 0',
  },
  '& .title': { fontSize: 14, lineHeight: '20px', fontWeight: 600, color: 'var(--text-strong)' },
  '& dl': { display: 'grid', gridTemplateColumns: '1fr 1fr', gap: '6px 12px', margin: 0 },
  '& dl > div': { minWidth: 0 },
  '& dl > div:has(> dd > .long)': { gridColumn: '1 / -1' },
  '& dt': { fontSize: 11, lineHeight: '14px', color: 'var(--text-3)' },
  '& dd': { margin: 0, minHeight: 18, fontSize: 13, lineHeight: '18px', overflowWrap: 'anywhere' },
  // A label without a value would look broken.
  '& dd:empty::before': { content: '"–"', color: 'var(--text-3)' },
  '& .outcome > span': { whiteSpace: 'normal' },
  '& .sk': skeletonStyle,
  '& .strong': { fontWeight: 600 },
  '& .muted': { color: 'var(--text-3)' },
  '& button.plain': {
    display: 'grid',
    placeItems: 'center',
    width: 44,
    height: 44,
    margin: '-12px -10px -12px 0',
    padding: 0,
    border: 0,
    background: 'none',
    color: 'var(--text-2)',
    '&[aria-expanded="true"] > svg': { transform: 'rotate(90deg)' },
  },
})

export const CardBody = <Row extends object>(props: TableBodyProps<Row>) =>
  props.rows.map((row) => (
    <Card
      key={row.id}
      row={row}
      layout={props.layout}
      name={props.rowName(row.original)}
      href={props.rowHref?.(row.original)}
      isSelectable={props.isSelectable && row.getCanSelect()}
      outcome={props.outcomes?.of(row.original)}
      isSelected={row.getIsSelected()}
      isOpen={row.getIsExpanded()}
      renderSubTable={props.renderSubTable}
    />
  ))

const bars = ['40%', '62%', '84%', '74%', '55%']

/** Placeholder cards while loading. */
export const CardSkeletons = ({ count }: { count: number }) =>
  Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
    <li key={at} aria-hidden="true" style={{ gap: 18, opacity: 1 - at * 0.18 }}>
      {bars.map((width) => (
        <span key={width} className="sk" style={{ width }} />
      ))}
    </li>
  ))

interface CardProps<Row extends object> {
  row: ModelRow<Row>
  layout: Layout<Row>
  name: string
  href: string | undefined
  isSelectable: boolean
  outcome: RowOutcome | undefined
  isSelected: boolean
  isOpen: boolean
  renderSubTable: ((row: Row) => ReactNode) | undefined
}

const CardContent = <Row extends object>(props: CardProps<Row>) => {
  const { row, layout, name, href, isSelectable, outcome, isSelected, isOpen, renderSubTable } = props
  const [first, ...others] = layout.columns
  if (!first) return null
  const inHead = others.filter(({ card, isSticky }) => card === 'head' || isSticky === 'right')
  const titles = others.filter(({ card }) => card === 'title')
  const fields = others.filter((column) => !inHead.includes(column) && !titles.includes(column))
  const id = first.cell(row.original)
  return (
    <li className={isSelected ? 'sel' : undefined} data-href={href}>
      <div className="head">
        {isSelectable && (
          <RowCheckbox
            isLarge
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={row.getToggleSelectedHandler()}
          />
        )}
        {href === undefined ? (
          <span className="strong">{id}</span>
        ) : (
          <a className="row-link" href={href}>
            {id}
          </a>
        )}
        <span className="end">
          {inHead.map(({ key, cell }) => (
            <span key={key}>{cell(row.original)}</span>
          ))}
          {renderSubTable && (
            <button
              type="button"
              className="plain"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? 'Collapse' : 'Expand'} ${name}`}
              onClick={() => row.toggleExpanded()}
            >
              <ChevronRightIcon />
            </button>
          )}
        </span>
      </div>
      {titles.map(({ key, cell }) => (
        <div key={key} className="title">
          {cell(row.original)}
        </div>
      ))}
      <dl>
        {fields.map(({ key, header, cell }) => (
          <div key={key}>
            <dt>{header}</dt>
            <dd>{cell(row.original)}</dd>
          </div>
        ))}
      </dl>
      {outcome && <RowOutcomeMark outcome={outcome} />}
      {isOpen && <RowNameContext value={name}>{renderSubTable?.(row.original)}</RowNameContext>}
    </li>
  )
}
const Card = memo(CardContent) as typeof CardContent
