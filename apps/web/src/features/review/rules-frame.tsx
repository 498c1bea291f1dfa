import type { ReactNode } from 'react'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { StopButton, StoppedBanner } from './stop-switch.tsx'

const tabs = [
  ['/review', 'Review'],
  ['/review/rules', 'Autoverification rules'],
  ['/review/reflex-rules', 'Reflex rules'],
] as const

/** The pages of rules, one tab each. */
export const RulesFrame = ({ current, children }: { current: string; children: ReactNode }) => (
  <RecordPage title={tabs.find(([path]) => path === current)?.[1] ?? ''} isWide action={<StopButton />}>
    <TabLinks label="Review" tabs={tabs.map(([to, label]) => ({ to, label, isCurrent: to === current }))} />
    <StoppedBanner />
    {children}
  </RecordPage>
)
