import type { QuickJumpHit } from '@lis/contract/quick-jump.ts'
import { describe, expect, it, vi } from 'vitest'

// The modules that call the server need a browser.
vi.mock('../../lib/query.ts', () => ({ read: () => ({}) }))
vi.mock('../../lib/session.ts', () => ({ useRole: () => 'STF' }))
vi.mock('../../lib/use-lookup.ts', () => ({ useDebounced: () => '' }))
vi.mock('./use-menu.ts', () => ({ useMenu: () => [] }))
const { bestHit, groupHits } = await import('./use-jump-targets.ts')

const aHit = (kind: QuickJumpHit['kind'], id: number): QuickJumpHit => ({
  kind,
  id,
  label: `${kind} ${id}`,
  detail: '',
  href: `/${kind}s/${id}/show`,
})
const hits = [aHit('client', 1000123), aHit('requisition', 10001234), aHit('requisition', 1000123), aHit('patient', 4)]

describe('a quick jump', () => {
  it('opens the requisition of a scanned accession number, even if other records have the same digits', () => {
    expect(bestHit(hits, '1000123')).toBe(hits[2])
    expect(bestHit(hits, '#1000123')).toBe(hits[2])
    expect(bestHit(hits, '1000123S')).toBe(hits[2])
    expect(bestHit(hits, '10001')).toBe(hits[0])
    expect(bestHit([], '1')).toBeUndefined()
  })
  it('groups the results by kind, in a fixed order', () => {
    expect(groupHits(hits).map(({ label, targets }) => [label, targets.length])).toEqual([
      ['Requisitions', 2],
      ['Patients', 1],
      ['Clients', 1],
      ['Physicians', 0],
    ])
  })
})
