import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'

const Tabs = styled('nav')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  gap: 20,
  height: 36,
  padding: '0 16px',
  borderBottom: '1px solid var(--line)',
  background: 'var(--surface)',
  whiteSpace: 'nowrap',
  overflowX: 'auto',
  overflowY: 'hidden',
  '& a': {
    display: 'flex',
    alignItems: 'center',
    gap: 6,
    marginBottom: -1,
    paddingTop: 2,
    borderBottom: '2px solid transparent',
    color: 'var(--text-2)',
    textDecoration: 'none',
    '&:hover': { color: 'var(--text)' },
    '&[aria-current]': { color: 'var(--p)', fontWeight: 600, borderColor: 'var(--p)' },
    '&:focus-visible': { boxShadow: 'inset 0 0 0 2px var(--focus)', outline: 'none' },
  },
  [theme.breakpoints.down('sm')]: { height: 44, fontSize: 13 },
}))
/** The number is pressed like the link before it, and is not part of its name. */
const Counted = styled('span')({
  position: 'relative',
  display: 'flex',
  alignItems: 'stretch',
  gap: 6,
  '& > a::after': { content: '""', position: 'absolute', inset: 0 },
  '& > span': { alignSelf: 'center', color: 'var(--text-3)' },
})

export interface TabLink {
  to: string
  label: string
  isCurrent: boolean
  /** A number or mark after the label. */
  mark?: ReactNode
  /** How many rows the tab has, beside the link. */
  count?: number | undefined
}

/** Tabs as links: each has an address, and back and forward work. */
export const TabLinks = ({ label, tabs }: { label: string; tabs: readonly TabLink[] }) => {
  const bar = useRef<HTMLElement>(null)
  const marks = tabs.filter(({ mark, count }) => mark || count !== undefined).length
  const current = tabs.findIndex(({ isCurrent }) => isCurrent)
  // On phones most tabs lie beyond the edge; the open one must not. Only sideways: the page stays where it is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marks are a reason, not an input
  useEffect(() => {
    const frame = bar.current
    const tab = frame?.children[current] as HTMLElement | undefined
    if (!frame || !tab) return
    // Measured after layout, to avoid a second layout here.
    const observer = new ResizeObserver(() => {
      observer.disconnect()
      const room = frame.clientWidth - tab.offsetWidth
      frame.scrollLeft = tab.offsetLeft - frame.offsetLeft - room / 2
    })
    observer.observe(tab)
    return () => observer.disconnect()
    // Numbers that are loaded later make the tabs wider.
  }, [current, marks])
  return (
    <Tabs ref={bar} aria-label={label}>
      {tabs.map((tab) => {
        const { to, label, isCurrent, mark, count } = tab
        const link = (
          <Link key={to} to={to} aria-current={isCurrent ? 'page' : undefined}>
            {label}
            {mark}
          </Link>
        )
        // Also while the number is on its way, so that the link stays the same one and keeps the focus.
        if (!('count' in tab)) return link
        return (
          <Counted key={to}>
            {link}
            {count !== undefined && <span>{count.toLocaleString('en-US')}</span>}
          </Counted>
        )
      })}
    </Tabs>
  )
}
