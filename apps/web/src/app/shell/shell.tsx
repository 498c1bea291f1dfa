import { fileTopic } from '@lis/contract/kit/events.ts'
import Drawer from '@mui/material/Drawer'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type ReactNode, useEffect, useState } from 'react'
import { NotificationsDialog } from '../../features/notifications/notifications-dialog.tsx'
import { useHasUnread } from '../../features/notifications/use-notifications.ts'
import { serverEvents } from '../../lib/event-stream.ts'
import { events } from '../../lib/events.ts'
import { queuedFileNotice } from '../../lib/queued-file.ts'
import { pageSession, useHeldSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { LeaveGuard } from '../../ui/form/leave-guard.tsx'
import { useLogOut } from '../../ui/form/use-log-out.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { type PageBar, PageBarContext } from '../../ui/page-bar.ts'
import { LabZoneProvider } from '../../ui/timestamp.tsx'
import { QuickJump } from './quick-jump.tsx'
import { Scanning } from './scanning.tsx'
import { Sidebar } from './sidebar.tsx'
import type { MenuActions } from './sidebar-item.tsx'
import { SignInElsewhere } from './sign-in-elsewhere.tsx'
import { TopBar } from './top-bar.tsx'
import { useReloadOnViewChange, ViewBanner } from './view-banner.tsx'

// Not needed for the first page.
const SessionExpiredModal = lazyPart(async () => (await import('./session-expired-modal.tsx')).SessionExpiredModal, {
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
  // The top bar covers the page, so that it can hold the page's header. Not padding: sticky elements would stop below it.
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

/** The menu and the page beside it; under 600 px a top bar with the menu behind the hamburger button. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const sidebar = useSidebar()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isJumpOpen, setJumpOpen] = useState(false)
  const [areNotificationsOpen, setNotificationsOpen] = useState(false)
  const [page, setPage] = useState<PageBar | null>(null)
  const hasUnread = useHasUnread()
  useQuickJumpShortcut(() => setJumpOpen(true))
  useEventStream()
  useResetOnUserSwitch()
  useReloadOnViewChange()
  const closeDrawer = () => setDrawerOpen(false)
  const jumpFromDrawer = () => {
    closeDrawer()
    setJumpOpen(true)
  }
  const { logOut, question } = useLogOut()
  const actions: MenuActions = {
    run: (action) => (action === 'logOut' ? void logOut() : setNotificationsOpen(true)),
    hasUnread: (action) => action === 'notifications' && hasUnread,
  }
  const jump = () => setJumpOpen(true)
  return (
    <LabZoneProvider>
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
          <ViewBanner />
          <PageBarContext value={setPage}>
            <Scanning>{children}</Scanning>
          </PageBarContext>
        </Main>
        {/* Rendered with the menu, not later: the leave guard must be there before anything can be typed. */}
        <LeaveGuard />
        <SessionExpiredModal />
        <QuickJump isOpen={isJumpOpen} onClose={() => setJumpOpen(false)} />
        <NotificationsDialog isOpen={areNotificationsOpen} onClose={() => setNotificationsOpen(false)} />
        {question}
      </Frame>
    </LabZoneProvider>
  )
}

/** Keeps the event stream open on every page: an idle page learns only from it that its session has ended. */
const useEventStream = () =>
  useEffect(() => {
    const stops = [serverEvents.on('session', () => undefined), serverEvents.on(fileTopic, notifyOfQueuedFile)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])

const notifyOfQueuedFile = (data: unknown) => {
  const notice = queuedFileNotice(data)
  if (notice) events.emit('notice', notice)
}

const useQuickJumpShortcut = (open: () => void) => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    const stop = events.on('quickJump', open)
    return () => {
      window.removeEventListener('keydown', onKey)
      stop()
    }
  })
}

/** Clears typed input and cached data when another user signs in. */
const useResetOnUserSwitch = () => {
  const held = useHeldSession()
  useEffect(() => {
    if (!held) return
    pageSession.whenSettled().then((outcome) => {
      if (outcome !== 'otherUser') return
      unsaved.clear()
      window.location.assign('/')
    })
  }, [held])
}

const key = 'lis.sidebar'

/** Collapsed until opened; remembered in the browser. */
const useSidebar = () => {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(key) === 'open')
  return {
    isOpen,
    toggle: () => {
      localStorage.setItem(key, isOpen ? 'closed' : 'open')
      setOpen(!isOpen)
    },
  }
}
