import type { Client } from '@lis/contract/clients.ts'
import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { useRemoveInvalidParam } from '../../lib/use-remove-invalid-param.ts'
import { TabLinks } from '../../ui/tab-links.tsx'
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
  Body: (props: { client: Client }) => ReactNode
}

/** In the order of their index, which is part of the address (CLI-G12). */
const tabs: readonly Tab[] = [
  { label: 'Physicians', Body: PhysiciansTab },
  { label: 'Labs', Body: LabsTab },
  { label: 'Events', Body: EventsTab },
  { label: 'Documents', Body: DocumentsTab },
  { label: 'Test Prices', Body: PricesTab },
  { label: 'Client Notes', Body: NotesTab },
  { label: 'Activity', Body: ActivityTab },
  { label: 'Sales Rep.', Body: SalesTab },
  { label: 'Authorized User', Body: UsersTab },
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
  return (
    <>
      <Bar ref={bar}>
        <TabLinks
          label="Client"
          tabs={tabs.map(({ label }, at) => ({ to: `?tab=${at}`, label, isCurrent: at === index }))}
        />
      </Bar>
      <Body client={client} />
    </>
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
