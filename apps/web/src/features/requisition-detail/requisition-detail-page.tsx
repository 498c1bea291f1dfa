import { type RequisitionDetail, requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import { type RequisitionTab, requisitionTabs, tabsFor } from '@lis/contract/requisitions/tabs.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { useParams } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { DeletedBanner, Loaded, MissingRecord } from '../../ui/form/record-page.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { ZoneProvider } from '../../ui/timestamp.tsx'
import { useDeferredMount } from '../../ui/use-deferred-mount.ts'
import { IdentityBand } from './identity-band.tsx'

/** Props of a tab: the requisition as read last. After a write the page reads it again. */
type TabPanel = ComponentType<{ requisition: RequisitionDetail }> & { fetch: () => Promise<unknown> }
export type TabPanels = Partial<Record<RequisitionTab, TabPanel>>

const Background = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  padding: '12px 16px',
  background: 'var(--bg)',
  '& .zone': { fontSize: 11, color: 'var(--text-3)' },
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))
const OpenIssues = styled('span')({
  minWidth: 16,
  padding: '0 5px',
  borderRadius: 8,
  fontSize: 11,
  lineHeight: '16px',
  fontWeight: 600,
  textAlign: 'center',
  background: 'var(--error-bg)',
  color: 'var(--error)',
})

const Missing = ({ id = '' }: { id?: string | undefined }) => (
  <MissingRecord list={{ to: '/requisitions', label: 'Requisitions' }}>
    There is no requisition #{id} that you can open. Please check the number; it may also have been deleted.
  </MissingRecord>
)

const ignore = () => undefined // the tab loads it again and shows the error

/** One requisition and its tabs. Each tab is its own chunk and loads its own data. */
export const RequisitionDetailPage = ({ tab, panels }: { tab: RequisitionTab; panels: TabPanels }) => {
  const { id } = useParams()
  const role = useRole()
  const query = useQuery(read(requisitionDetailRoutes.one, { params: { id: Number(id) } }))
  const requisition = query.data?.data
  const isDrawn = useDeferredMount(requisition !== undefined)
  const Panel = panels[tab]
  useEffect(() => {
    Panel?.fetch().catch(ignore)
  }, [Panel])
  if (!requisition && query.isError)
    return (
      <>
        <PageHeader title={`Requisition #${id}`} parent={{ to: '/requisitions', label: 'Requisitions' }} />
        <Background>
          <Loaded query={query} missing={<Missing id={id} />}>
            {() => null}
          </Loaded>
        </Background>
      </>
    )
  const issues = requisition?.issueCount ?? 0
  return (
    <>
      <IdentityBand id={Number(id)} requisition={requisition} />
      <TabLinks
        label="Parts of the requisition"
        tabs={tabsFor(role)
          .filter((slug) => panels[slug])
          .map((slug) => ({
            to: `/requisitions/${id}/show${slug === 'view' ? '' : `/${slug}`}`,
            label: requisitionTabs[slug],
            isCurrent: slug === tab,
            mark: slug === 'issues' && issues > 0 && <OpenIssues>{issues}</OpenIssues>,
          }))}
      />
      <Background>
        <DeletedBanner query={query} />
        {requisition?.discrepancyMsg && <Banner type="warning">{requisition.discrepancyMsg}</Banner>}
        {requisition && isDrawn && Panel ? (
          <ZoneProvider zone={requisition.labTz}>
            <Panel key={requisition.id} requisition={requisition} />
          </ZoneProvider>
        ) : (
          <LoadingState label="Data loading" />
        )}
      </Background>
    </>
  )
}
