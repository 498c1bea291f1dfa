import { styled } from '@mui/material/styles'
import { checkboxRules } from './check.tsx'

// Only the table's own cells: a row may contain another table.
const head = '& > table > thead > tr > th'
const cell = '& > table > tbody > tr > td'
const ownRow = cell.replace('tr', 'tr:not(.subrow)')
const innerFocusRing = { outline: '2px solid var(--focus)', outlineOffset: -2, boxShadow: 'none' }

/** A placeholder bar for text. */
export const skeletonStyle = {
  display: 'block',
  height: 8,
  borderRadius: 4,
  background: 'linear-gradient(90deg, var(--n-200), var(--n-100))',
} as const

/** The scrolling frame of a table with the styles of its cells. Cells are plain elements: a styled component per cell would be slow. */
export const TableFrame = styled('div')({
  '--row': 'var(--row-compact)',
  '&.comfortable': { '--row': 'var(--row-comfortable)' },
  containerType: 'inline-size',
  flex: '1 1 auto',
  minHeight: 0,
  display: 'flex',
  flexDirection: 'column',
  overflow: 'auto',
  position: 'relative',
  borderTop: '1px solid var(--line)',
  scrollbarColor: 'var(--n-400) var(--surface-2)',
  '&:focus-visible': innerFocusRing,

  '& > table': {
    flex: 'none',
    tableLayout: 'fixed',
    borderCollapse: 'separate',
    borderSpacing: 0,
  },
  [head]: {
    position: 'sticky',
    top: 0,
    zIndex: 3,
    height: 36,
    padding: '0 8px',
    textAlign: 'left',
    verticalAlign: 'middle',
    fontSize: 11,
    lineHeight: '13px',
    fontWeight: 600,
    color: 'var(--text-2)',
    background: 'var(--surface-2)',
    borderBottom: '1px solid var(--line-strong)',
  },
  [cell]: {
    height: 'var(--row)',
    padding: '0 8px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    background: 'var(--rb, var(--surface))',
    borderBottom: '1px solid var(--line)',
  },
  '& .num': { textAlign: 'right' },
  '& tr.row:hover': { '--rb': 'var(--n-50)' },
  '& tr.open': { '--rb': 'var(--n-50)' },
  '& tr.open > td': { borderBottomColor: 'transparent' },
  '& tr.sel, & tr.sel:hover': { '--rb': 'var(--selected)' },
  '& tr.sel > td:first-of-type': { boxShadow: 'inset 2px 0 0 var(--selected-line)' },
  '& tr.gone': { '--rb': 'var(--surface-2)', color: 'var(--text-3)' },
  '& tr[data-href]': { cursor: 'pointer' },
  '& a.row-link': {
    color: 'var(--link)',
    textDecoration: 'none',
    borderRadius: 2,
    '&:hover': { textDecoration: 'underline', textUnderlineOffset: 2 },
    '&:focus-visible': { ...innerFocusRing, outlineOffset: 1 },
  },
  // Wider than any column, so that the last one never touches the edge of the page.
  [`${head}:last-of-type:not(.pr), ${ownRow}:last-of-type:not(.pr)`]: { paddingRight: 16 },
  [`${head}:first-of-type:not(.ctl), ${ownRow}:first-of-type:not(.ctl)`]: { paddingLeft: 16 },

  // Sticky columns and their border
  [`${cell}.st, ${cell}.pr`]: { position: 'sticky', zIndex: 2 },
  [`${head}.st, ${head}.pr, ${head}.ctl`]: { zIndex: 4 },
  '& .last': { borderRight: '1px solid var(--line-strong)' },
  [`${head}.pr, ${cell}.pr`]: { right: 0, padding: 0, textAlign: 'center', borderLeft: '1px solid var(--line-strong)' },
  '& .pr > *': { marginInline: 'auto' },
  [`${head}.pr.text, ${cell}.pr.text`]: { padding: '0 12px 0 8px', textAlign: 'left' },
  '&.scrolled .last': { boxShadow: '6px 0 6px -6px rgba(19, 27, 33, .25)' },
  '&.more :not(.pr) + .pr': { boxShadow: '-6px 0 6px -6px rgba(19, 27, 33, .25)' },

  // Checkbox and chevron
  ...checkboxRules,
  [`${head}.ctl, ${cell}.ctl`]: { position: 'sticky', left: 0, padding: '0 0 0 11px', textOverflow: 'clip' },
  [`${cell}.ctl`]: { zIndex: 2 },
  '& .ctl > div': { display: 'flex', alignItems: 'center', color: 'var(--text-3)' },
  '& button.plain': {
    flex: 'none',
    display: 'grid',
    placeItems: 'center',
    width: 24,
    height: 24,
    padding: 0,
    border: 0,
    borderRadius: 'var(--r-sm)',
    background: 'none',
    color: 'inherit',
    cursor: 'pointer',
    '&:hover': { color: 'var(--text)' },
    '&:focus-visible': innerFocusRing,
    '&[aria-expanded="true"] > svg': { transform: 'rotate(90deg)' },
  },
  // The whole heading is the button.
  '& button.sort': {
    position: 'absolute',
    inset: 0,
    display: 'flex',
    alignItems: 'center',
    padding: '0 8px',
    border: 0,
    background: 'none',
    color: 'inherit',
    font: 'inherit',
    textAlign: 'inherit',
    cursor: 'pointer',
    '& > span': { position: 'relative' },
    '& > span > svg': { display: 'inline-block', verticalAlign: -2, marginLeft: 4, color: 'var(--p)' },
    // Takes no space until the column is sorted, so that long headers do not wrap.
    '& > span > svg.off': {
      position: 'absolute',
      right: -13,
      top: 'calc(50% - 6px)',
      opacity: 0,
      color: 'var(--text-3)',
    },
    '&:hover > span > svg.off, &:focus-visible > span > svg.off': { opacity: 1 },
    '&:hover': { background: 'var(--n-100)', color: 'var(--text)' },
    '&:focus-visible': innerFocusRing,
  },
  '& .num button.sort': { justifyContent: 'flex-end' },
  '& .place': {
    marginLeft: 4,
    padding: '0 4px',
    borderRadius: 'var(--r-full)',
    background: 'var(--info-bg)',
    color: 'var(--info)',
  },
  [`${head}:last-of-type:not(.pr) button.sort`]: { paddingRight: 16 },
  [`${head}:first-of-type:not(.ctl) button.sort`]: { paddingLeft: 16 },
  '& .edge': {
    position: 'absolute',
    insetBlock: 0,
    right: -4,
    zIndex: 1,
    width: 9,
    cursor: 'col-resize',
    touchAction: 'none',
    '&:hover': { background: 'linear-gradient(var(--p), var(--p)) center / 2px 100% no-repeat' },
  },

  // The sub-table of a row
  [cell.replace('tr', 'tr.subrow')]: {
    height: 'auto',
    padding: 0,
    background: 'var(--n-50)',
    overflow: 'visible',
    whiteSpace: 'normal',
  },
  '& .sub': { position: 'sticky', left: 0, width: '100cqw', padding: '0 16px 12px 56px' },

  // Breaks a line even where wrapping is off.
  '& wbr': { display: 'none' },
  '& .sk': skeletonStyle,
  '& .fill': { position: 'sticky', left: 0, flex: '1 1 auto', display: 'flex', width: '100cqw' },
  '& .strong': { color: 'var(--text-strong)', fontWeight: 600 },
  '& .muted': { color: 'var(--text-3)' },
})

/** Visible only to screen readers. */
export const VisuallyHidden = styled('span')({
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
})
