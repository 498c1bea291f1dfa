import { can, type Permission } from '@lis/contract/access/permissions.ts'
import { type QuickJumpHit, type QuickJumpKind, quickJumpKinds, quickJumpRoutes } from '@lis/contract/quick-jump.ts'
import { readScan } from '@lis/contract/specimens.ts'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { useMenu } from './use-menu.ts'

/** Where a quick jump can lead. */
export interface JumpTarget {
  key: string
  label: string
  detail?: string
  to: string
}
export interface JumpGroup {
  label: string
  targets: JumpTarget[]
}

const restMs = 200
/** A single letter finds everything and nothing. */
const fewestLetters = 2

const kindLabels: Record<QuickJumpKind, string> = {
  requisition: 'Requisitions',
  patient: 'Patients',
  client: 'Clients',
  physician: 'Physicians',
}
const pagesBesideMenu: readonly { label: string; to: string; permission: Permission }[] = [
  { label: 'Home', to: '/', permission: 'home.open' },
  { label: 'Add Requisition', to: '/requisitions/create', permission: 'requisitions.create' },
]
const find = (q: string) => read(quickJumpRoutes.find, { query: { q } })
const toTarget = ({ kind, id, label, detail, href }: QuickJumpHit): JumpTarget => ({
  key: `${kind} ${id}`,
  label,
  detail,
  to: href,
})

/** Pages and records that fit the text, by kind; pages at once, records when typing rests. */
export const useJumpTargets = (text: string) => {
  const client = useQueryClient()
  const menu = useMenu()
  const role = useRole()
  const typed = text.trim()
  const asked = useDebounced(typed, restMs)
  const isAsked = asked.length >= fewestLetters && typed.length >= fewestLetters
  const { data, isFetching, isError, isPlaceholderData } = useQuery({
    ...find(asked),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const inMenu = menu.flatMap(({ label, to }) => (to === undefined ? [] : [{ label, to }]))
  const beside = pagesBesideMenu.filter(
    ({ to, permission }) => can(role, permission) && !inMenu.some((page) => page.to === to),
  )
  const pages = [...beside, ...inMenu]
    .filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
    .map(({ label, to }) => ({ key: `page ${label}`, label, to }))
  const groups = [{ label: 'Pages', targets: pages }, ...(isAsked && data ? groupHits(data.data) : [])]
  return {
    groups: groups.filter(({ targets }) => targets.length > 0),
    pages,
    isBusy: isFetching || (typed.length >= fewestLetters && asked !== typed),
    isError: isAsked && isError,
    /** The records shown belong to an earlier text. */
    isStale: typed.length >= fewestLetters && (asked !== typed || isPlaceholderData || isFetching),
    /** Asks at once and gives the record that the whole text names, or the first. */
    findNow: async (): Promise<JumpTarget | undefined> => {
      const { data: hits } = await client.fetchQuery(find(typed))
      const hit = bestHit(hits, typed)
      return hit && toTarget(hit)
    },
  }
}

export const groupHits = (hits: readonly QuickJumpHit[]): JumpGroup[] =>
  quickJumpKinds.map((kind) => ({
    label: kindLabels[kind],
    targets: hits.filter((hit) => hit.kind === kind).map(toTarget),
  }))

/** A scanned accession number, with or without the suffix of its label, means its requisition, whatever else has the same digits. */
export const bestHit = (hits: readonly QuickJumpHit[], text: string): QuickJumpHit | undefined =>
  hits.find(({ kind, id }) => kind === 'requisition' && id === readScan(text)?.reqId) ?? hits[0]
