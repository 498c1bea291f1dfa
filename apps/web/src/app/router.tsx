import { type ComponentType, lazy, Suspense } from 'react'
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router'
import { sessionStore, useSession } from '../lib/session.ts'
import { LoadingState } from '../ui/states.tsx'
import { ErrorPage } from './error-page.tsx'
import { Guard } from './guard.tsx'
import { type AppRoute, appRoutes, routeAt } from './routes.ts'

const asModule = async (component: Promise<ComponentType>) => ({ default: await component })

const hasShell = (route: AppRoute) => route.access !== 'public' || route.isInShell === true
const errorPage = <ErrorPage />
const bareErrorPage = <main>{errorPage}</main>

const toRouteObject = (route: AppRoute): RouteObject => {
  const { path, load } = route
  const Page = lazy(() => asModule(load()))
  return {
    path,
    element: (
      <Guard route={route}>
        <Suspense fallback={<LoadingState label="Loading" />}>
          <Page />
        </Suspense>
      </Guard>
    ),
    errorElement: hasShell(route) ? errorPage : bareErrorPage,
  }
}

// Needed once there is something to lose, which is long after the first page.
const SessionExpiredModal = lazy(async () => ({
  default: (await import('./session-expired-modal.tsx')).SessionExpiredModal,
}))
const LeaveGuard = lazy(async () => ({ default: (await import('../ui/form/leave-guard.tsx')).LeaveGuard }))

// The menu and what it needs come apart from the rest, so that the sign-in page is light.
const loadShell = async () => (await import('./shell/shell.tsx')).Shell
const Shell = lazy(async () => ({ default: await loadShell() }))

/** Asks for what will be needed next before anything waits for it. */
const fetchAhead = () => {
  if (sessionStore.get()) {
    loadShell()
    routeAt(window.location.pathname)?.load()
    return
  }
  const fetchFirstPage = () => {
    loadShell()
    routeAt('/')?.load()
  }
  window.addEventListener('load', () => setTimeout(fetchFirstPage, 500), { once: true })
}
fetchAhead()

/** The menu around the page, for those who are signed in. */
const ShellLayout = () =>
  useSession() ? (
    <>
      <Suspense>
        <Shell>
          <Outlet />
        </Shell>
      </Suspense>
      {/* Apart, so that the page does not wait for what it needs much later. */}
      <Suspense>
        <LeaveGuard />
        <SessionExpiredModal />
      </Suspense>
    </>
  ) : (
    <main>
      <Outlet />
    </main>
  )

export const router = createBrowserRouter([
  {
    errorElement: bareErrorPage,
    children: [
      { element: <ShellLayout />, children: appRoutes.filter(hasShell).map(toRouteObject) },
      ...appRoutes.filter((route) => !hasShell(route)).map(toRouteObject),
    ],
  },
])
