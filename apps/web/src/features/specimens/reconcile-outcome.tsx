import type { ReconcileOutcome } from '@lis/contract/spec-locations.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'

const List = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  overflowY: 'auto',
  minHeight: 120,
  '& h3': { fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  '& ul': { margin: '4px 0 0', padding: 0, listStyle: 'none' },
  '& li': { padding: '4px 0', borderTop: '1px solid var(--line)', color: 'var(--text-3)', overflowWrap: 'anywhere' },
  '& li b': { fontWeight: 600, color: 'var(--text-strong)' },
})

type Found = ReconcileOutcome['matched'][number]

interface BoxComparisonProps {
  outcome: ReconcileOutcome
  slotNames: ReadonlyMap<number, string>
}

/** The scans compared with the record. */
export const BoxComparison = ({ outcome, slotNames }: BoxComparisonProps) => {
  const slotOf = ({ trackerId }: Found) => (trackerId === null ? undefined : slotNames.get(trackerId))
  const groups: readonly (readonly [title: string, found: readonly Found[], detail: (one: Found) => string])[] = [
    ['Missing', outcome.missing, (one) => `recorded in ${slotOf(one)}, not scanned`],
    [
      'Extra',
      outcome.extra,
      (one) => [one.recordedAt ? `recorded at ${one.recordedAt}` : 'recorded nowhere', inSlot(slotOf(one))].join(''),
    ],
    ['Misplaced', outcome.misplaced, (one) => `recorded at ${one.recordedAt}${inSlot(slotOf(one))}`],
  ]
  return (
    <List>
      {groups.map(([title, found, detail]) => (
        <section key={title} aria-label={title}>
          <h3>
            {title} ({found.length})
          </h3>
          {found.length > 0 && (
            <ul>
              {found.map((one) => (
                <li key={`${one.code} ${one.trackerId}`}>
                  <b>{one.code}</b> of <Link to={`/requisitions/${one.reqId}/show`}>#{one.reqId}</Link>: {detail(one)}
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
      <section aria-label="Matched">
        <h3>Matched ({outcome.matched.length})</h3>
      </section>
    </List>
  )
}

const inSlot = (slot: string | undefined) => (slot === undefined ? '' : `, scanned in ${slot}`)

/** The corrections of the record, one sentence each. */
export const changesOf = ({ missing, extra, misplaced }: ReconcileOutcome): string[] => {
  const stored = extra.filter(({ recordedAt }) => recordedAt !== null).length
  const unknown = extra.length - stored
  return [
    missing.length > 0 && `${samples(missing.length)} that ${were(missing.length)} not scanned: recorded as discarded.`,
    stored > 0 && `${samples(stored)} recorded elsewhere: moved into this box.`,
    unknown > 0 && `${samples(unknown)} recorded nowhere: placed in this box.`,
    misplaced.length > 0 && `${samples(misplaced.length)} in another slot: moved to the slot of the scan.`,
  ].filter((change) => change !== false)
}

const samples = (count: number) => (count === 1 ? '1 sample' : `${count} samples`)
const were = (count: number) => (count === 1 ? 'was' : 'were')
