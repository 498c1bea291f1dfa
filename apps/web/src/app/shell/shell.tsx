import { fileTopic } from '@lis/contract/kit/events.ts'
import Drawer from '@mui/material/Drawer'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type ReactNode, useEffect, useState } from 'react'
import { NotificationsDialog } from '../../features/notifications/notifications-dialog.tsx'
import { useHasUnread } from '../../features/notifications/use-notifications.ts'
import { serverEvents } from '../../lib/event-stream.ts'
import { events } from '../../lib/events.ts'
import { waitingNotice } from '../../lib/waiting-file.ts'
import { LeaveGuard } from '../../ui/form/leave-guard.tsx'
import { useLogOut } from '../../ui/form/use-log-out.tsx'
import { InLabZone } from '../../ui/moment.tsx'
import { type PageBar, PageBarContext } from '../../ui/page-bar.ts'
import { partOf } from '../../ui/part.tsx'
import { QuickJump } from './quick-jump.tsx'
import { Sidebar } from './sidebar.tsx'
import type { MenuActions } from './sidebar-item.tsx'
import { SignInElsewhere } from './sign-in-elsewhere.tsx'
import { TopBar } from './top-bar.tsx'
import { useNextPerson } from './use-next-person.ts'
import { useSidebar } from './use-sidebar.ts'

// Needed once there is something to lose, which is long after the first page.
const SessionExpiredModal = partOf(async () => (await import('./session-expired-modal.tsx')).SessionExpiredModal, {
  waiting: null,
  failed: <SignInElsewhere />,
})

const Frame = styled('div')({ position: 'relative', display: 'flex', height: '100dvh' })
const Main = styled('main')({
  flex: '1 1 auto',
  minWidth: 0,
  minHeight: 0,
  display: 'flex',
  flexDirection: 'column',
  overflow: 'auto',
  position: 'relative',
  background: 'var(--surface)',
  // The top bar lies over the page, so that the page's header can lie in it. Not padding: sticky things would stop below it.
  '.small > &::before': { content: '""', flex: 'none', height: 56 },
  '&:focus-visible': { boxShadow: 'none' },
})
const SkipLink = styled('a')({
  position: 'absolute',
  left: 8,
  top: -64,
  zIndex: 1300,
  padding: '8px 12px',
  borderRadius: 'var(--r-sm)',
  background: 'var(--surface)',
  fontWeight: 600,
  '&:focus': { top: 8 },
})

/** The menu and the page beside it; under 600 px a top bar, with the menu behind its hamburger button. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const sidebar = useSidebar()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isJumpOpen, setJumpOpen] = useState(false)
  const [areNewsOpen, setNewsOpen] = useState(false)
  const [page, setPage] = useState<PageBar | null>(null)
  const hasUnread = useHasUnread()
  useJumpKey(() => setJumpOpen(true))
  useOpenStream()
  useNextPerson()
  const closeDrawer = () => setDrawerOpen(false)
  const jumpFromDrawer = () => {
    closeDrawer()
    setJumpOpen(true)
  }
  const { logOut, question } = useLogOut()
  const actions: MenuActions = {
    run: (action) => (action === 'logOut' ? void logOut() : setNewsOpen(true)),
    hasNews: (action) => action === 'notifications' && hasUnread,
  }
  const jump = () => setJumpOpen(true)
  return (
    <InLabZone>
      <Frame className={isSmall ? 'small' : undefined}>
        <SkipLink href="#content">Skip to the page</SkipLink>
        {isSmall ? (
          <>
            <TopBar
              page={page}
              onMenu={() => setDrawerOpen(true)}
              isMenuOpen={isDrawerOpen}
              onJump={jump}
              actions={actions}
            />
            <Drawer
              open={isDrawerOpen}
              onClose={closeDrawer}
              slotProps={{ paper: { 'aria-label': 'Menu', sx: { '--item-height': '44px' } } }}
            >
              <Sidebar isOpen onJump={jumpFromDrawer} actions={actions} onUse={closeDrawer} />
            </Drawer>
          </>
        ) : (
          <Sidebar isOpen={sidebar.isOpen} onToggle={sidebar.toggle} onJump={jump} actions={actions} />
        )}
        <Main id="content" tabIndex={-1}>
          <PageBarContext value={setPage}>{children}</PageBarContext>
        </Main>
        {/* With the menu, not after it: whoever can type can also leave. */}
        <LeaveGuard />
        <SessionExpiredModal />
        <QuickJump isOpen={isJumpOpen} onClose={() => setJumpOpen(false)} />
        <NotificationsDialog isOpen={areNewsOpen} onClose={() => setNewsOpen(false)} />
        {question}
      </Frame>
    </InLabZone>
  )
}

/** Also where nothing else is to be heard: only so does a page that nobody touches learn that its session is over. */
const useOpenStream = () =>
  useEffect(() => {
    const stops = [serverEvents.on('session', () => undefined), serverEvents.on(fileTopic, tellOfWaitingFile)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])

const tellOfWaitingFile = (data: unknown) => {
  const notice = waitingNotice(data)
  if (notice) events.emit('notice', notice)
}

const useJumpKey = (open: () => void) => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}
