import { can, type Permission } from '@lis/contract/access/permissions.ts'
import { type QuickJumpHit, type QuickJumpKind, quickJumpKinds, quickJumpRoutes } from '@lis/contract/quick-jump.ts'
import { parseScannedCode } from '@lis/contract/specimens.ts'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { useMenu } from './use-menu.ts'

/** A page or record that a quick jump can open. */
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

const debounceMs = 200
/** A single letter matches too much. */
const minSearchLength = 2

const kindLabels: Record<QuickJumpKind, string> = {
  requisition: 'Requisitions',
  patient: 'Patients',
  client: 'Clients',
  physician: 'Physicians',
}
const pagesOutsideMenu: readonly { label: string; to: string; permission: Permission }[] = [
  { label: 'Add Requisition', to: '/requisitions/create', permission: 'requisitions.create' },
]
const find = (q: string) => read(quickJumpRoutes.find, { query: { q } })
const toTarget = ({ kind, id, label, detail, href }: QuickJumpHit): JumpTarget => ({
  key: `${kind} ${id}`,
  label,
  detail,
  to: href,
})

/** Pages and records that match the text; pages at once, records when typing pauses. */
export const useJumpTargets = (text: string) => {
  const client = useQueryClient()
  const menu = useMenu()
  const role = useRole()
  const typed = text.trim()
  const searchedText = useDebounced(typed, debounceMs)
  const isSearching = searchedText.length >= minSearchLength && typed.length >= minSearchLength
  const { data, isFetching, isError, isPlaceholderData } = useQuery({
    ...find(searchedText),
    enabled: isSearching,
    placeholderData: keepPreviousData,
  })
  const inMenu = menu.flatMap(({ label, to }) => (to === undefined ? [] : [{ label, to }]))
  const outsideMenu = pagesOutsideMenu.filter(
    ({ to, permission }) => can(role, permission) && !inMenu.some((page) => page.to === to),
  )
  const pages = [...outsideMenu, ...inMenu]
    .filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
    .map(({ label, to }) => ({ key: `page ${label}`, label, to }))
  const groups = [{ label: 'Pages', targets: pages }, ...(isSearching && data ? groupHits(data.data) : [])]
  return {
    groups: groups.filter(({ targets }) => targets.length > 0),
    pages,
    isBusy: isFetching || (typed.length >= minSearchLength && searchedText !== typed),
    isError: isSearching && isError,
    /** The records belong to an earlier text. */
    isStale: typed.length >= minSearchLength && (searchedText !== typed || isPlaceholderData || isFetching),
    /** Searches at once and returns the record that the whole text names, or the first. */
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

/** A scanned accession number, with or without its label suffix, means its requisition, even if other records have the same digits. */
export const bestHit = (hits: readonly QuickJumpHit[], text: string): QuickJumpHit | undefined =>
  hits.find(({ kind, id }) => kind === 'requisition' && id === parseScannedCode(text)?.reqId) ?? hits[0]
