import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { requisitionListRoutes } from '@lis/contract/requisitions/list.ts'
import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { type Stage, StageGlyph, stageColours, stages } from '../../domain/stage-chip.tsx'
import { read } from '../../lib/query.ts'

const Bar = styled('nav')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  height: 44,
  margin: '0 16px',
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  overflow: 'hidden',
  '& a': {
    position: 'relative',
    flex: '1 1 0',
    minWidth: 0,
    display: 'flex',
    flexDirection: 'column',
    justifyContent: 'center',
    padding: '0 10px',
    borderRight: '1px solid var(--line)',
    color: 'var(--text-2)',
    fontSize: 11,
    lineHeight: '14px',
    textDecoration: 'none',
    '&:last-child': { borderRight: 0 },
    '&:hover': { background: 'var(--n-50)' },
    '&:focus-visible': { boxShadow: 'inset 0 0 0 2px var(--focus)', outline: 'none' },
    '& span': { display: 'flex', alignItems: 'center', gap: 5, whiteSpace: 'nowrap' },
    '& svg': { flex: 'none', color: 'var(--c)' },
    '& small': { fontSize: 11, fontWeight: 400, color: 'var(--text-2)' },
    '& b': {
      paddingLeft: 17,
      whiteSpace: 'nowrap',
      fontSize: 14,
      lineHeight: '18px',
      fontWeight: 600,
      color: 'var(--text-strong)',
    },
    '&.on': { background: 'var(--b)' },
    '&.on span': { color: 'var(--c)', fontWeight: 600 },
    '&.on::after': {
      content: '""',
      position: 'absolute',
      left: 0,
      right: 0,
      bottom: 0,
      height: 2,
      background: 'var(--c)',
    },
  },
  // Phones show the counts in the tabs.
  [theme.breakpoints.down('sm')]: { display: 'none' },
}))

/** The number of requisitions by tab, and under 'Billed' those in billing with that status. */
export type StageCounts = ReadonlyMap<string, number>

/** The counts, for users who may see them; undefined while loading. */
export const useStageCounts = (role: Role): StageCounts | undefined => {
  const isDue = useDelayed(100)
  const ofTabs = can(role, 'requisitions.tabCounts')
  const route = ofTabs ? requisitionListRoutes.tabCounts : requisitionListRoutes.statusCount
  const { data } = useQuery({ ...read(route), enabled: isDue && (ofTabs || can(role, 'requisitions.statusBar')) })
  return useMemo(() => {
    if (!data) return undefined
    const counts = new Map([['All', 0]])
    const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count)
    for (const { reqStatusCode, reqStatusCount } of data.data) {
      const code = reqStatusCode as StatusCode
      add('All', reqStatusCount)
      add(tabOf(displayStatus(code) as Stage), reqStatusCount)
      if (code === 'BILL') add('Billed', reqStatusCount)
    }
    return counts
  }, [data])
}

/** The counts by stage, as links to the tabs. */
export const StatusBar = ({ view, counts }: { view: string; counts: StageCounts | undefined }) => {
  return (
    <Bar aria-label="Requisitions by status">
      {stages.map((stage) => (
        <Link
          key={stage}
          to={`?status=${tabOf(stage)}`}
          className={tabOf(stage) === view ? 'on' : undefined}
          style={stageColours(stage) as object}
        >
          <span>
            <StageGlyph stage={stage} />
            {tabOf(stage)}
          </span>
          <b>
            {counts ? shown(counts.get(tabOf(stage))) : ' '}
            {counts && stage === 'Billed' && <small> {shown(counts.get('Billed'))} billed</small>}
          </b>
        </Link>
      ))}
    </Bar>
  )
}

const shown = (count = 0) => count.toLocaleString('en-US')

/** Not everything in billing is billed, so the last one has the name of its tab. */
const tabOf = (stage: Stage) => (stage === 'Billed' ? 'Billing' : stage)

/** Delays the counts, so that the table loads first. */
const useDelayed = (ms: number) => {
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isDue
}
