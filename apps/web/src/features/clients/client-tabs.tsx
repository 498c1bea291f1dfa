import { clientRecordRoutes } from '@lis/contract/client-records.ts'
import type { Client } from '@lis/contract/clients.ts'
import type { ListQuery } from '@lis/contract/kit/list-query.ts'
import { styled } from '@mui/material/styles'
import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { useRemoveInvalidParam } from '../../lib/use-remove-invalid-param.ts'
import { TabLinks } from '../../ui/tab-links.tsx'
import { type ListRoute, readList } from '../../ui/table/read-list.ts'
import { ActivityTab } from './activity-tab.tsx'
import { DocumentsTab } from './documents-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { LabsTab } from './labs-tab.tsx'
import { NotesTab } from './notes-tab.tsx'
import { PhysiciansTab } from './physicians-tab.tsx'
import { PricesTab } from './prices-tab.tsx'
import { SalesTab } from './sales-tab.tsx'
import { UsersTab } from './users-tab.tsx'

interface Tab {
  label: string
  /** The list whose rows are counted beside the label. */
  counted?: ListRoute<unknown>
  Body: (props: { client: Client }) => ReactNode
}

/** In the order of their index, which is part of the address (CLI-G12). */
const tabs: readonly Tab[] = [
  { label: 'Physicians', counted: clientRecordRoutes.physicians, Body: PhysiciansTab },
  { label: 'Labs', counted: clientRecordRoutes.labs, Body: LabsTab },
  { label: 'Events', counted: clientRecordRoutes.events, Body: EventsTab },
  { label: 'Documents', counted: clientRecordRoutes.docs, Body: DocumentsTab },
  { label: 'Test Prices', counted: clientRecordRoutes.prices, Body: PricesTab },
  { label: 'Client Notes', Body: NotesTab },
  { label: 'Activity', Body: ActivityTab },
  { label: 'Sales Rep.', counted: clientRecordRoutes.sales, Body: SalesTab },
  { label: 'Authorized User', counted: clientRecordRoutes.users, Body: UsersTab },
]

// On the page background, not in a separate bar.
const Bar = styled('div')({ scrollMarginTop: 64, '& > nav': { background: 'transparent', padding: '0 2px' } })

/** The client's related records; only the open tab is loaded. */
export const ClientTabs = ({ client }: { client: Client }) => {
  const asked = useSearchParams()[0].get('tab') ?? ''
  const isTab = /^\d$/.test(asked) && Number(asked) < tabs.length
  const index = isTab ? Number(asked) : 0
  useRemoveInvalidParam('tab', isTab)
  const bar = useScrollIntoView(asked !== '')
  const Body = tabs[index]?.Body ?? PhysiciansTab
  const counts = useCounts(client.id)
  return (
    <>
      <Bar ref={bar}>
        <TabLinks
          label="Client"
          tabs={tabs.map(({ label }, at) => ({
            to: `?tab=${at}`,
            label,
            isCurrent: at === index,
            // The label of the tab contains the text.
            mark: counts.has(label) && <Count aria-hidden="true">{counts.get(label)}</Count>,
          }))}
        />
      </Bar>
      <Body client={client} />
    </>
  )
}

const Count = styled('span')({ fontSize: 11, fontWeight: 400, color: 'var(--text-3)' })
const oneRow: ListQuery = { page: 1, perPage: 1, filters: {}, sort: null }

/** The number of rows by the label of the tab, where it is counted and known. */
const useCounts = (id: number): ReadonlyMap<string, string> => {
  const counted = tabs.flatMap(({ label, counted }) => (counted ? [{ label, counted }] : []))
  const found = useQueries({ queries: counted.map((tab) => readList(tab.counted, { id }, oneRow)) })
  return new Map(
    counted.flatMap(({ label }, at) => {
      const total = found[at]?.data?.total
      return total === undefined ? [] : [[label, total.toLocaleString('en-US')] as const]
    }),
  )
}

/** Scrolls to the tabs if the address names one: the cards above may fill the screen. */
const useScrollIntoView = (isWanted: boolean) => {
  const ref = useRef<HTMLDivElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    const isBelow = (ref.current?.getBoundingClientRect().bottom ?? 0) > window.innerHeight
    if (isFirst.current && isWanted && isBelow) ref.current?.scrollIntoView({ block: 'start' })
    isFirst.current = false
  }, [isWanted])
  return ref
}
