import { type ComponentType, Suspense } from 'react'
import { createBrowserRouter, matchRoutes, Outlet, type RouteObject } from 'react-router'
import { loadable } from '../lib/loadable.tsx'
import { queryClient } from '../lib/query.ts'
import { sessionStore, useSession } from '../lib/session.ts'
import { LoadingState } from '../ui/states.tsx'
import { allListSettings } from '../ui/use-list-settings.ts'
import { ErrorPage } from './error-page.tsx'
import { Guard } from './guard.tsx'
import { type AppRoute, appRoutes } from './routes.ts'

const hasShell = (route: AppRoute) => route.access !== 'public' || route.isInShell === true
const errorPage = <ErrorPage />
const bareErrorPage = <main>{errorPage}</main>
const loadingPage = <LoadingState label="Loading" isPage />
const bareLoadingPage = <main>{loadingPage}</main>

const pages = new Map([...new Set(appRoutes.map(({ load }) => load))].map((load) => [load, loadable(load)]))
/** The route that matches an address. */
const findRoute = (path: string): AppRoute | undefined =>
  matchRoutes(
    appRoutes.map((route) => ({ path: route.path, handle: route })),
    path,
  )?.[0]?.route.handle
const fetchPage = async (path: string) => {
  const route = findRoute(path)
  if (route) await pages.get(route.load)?.fetch()
}

const toRouteObject = (route: AppRoute): RouteObject => {
  const { path } = route
  const { Part: Page } = pages.get(route.load) as { Part: ComponentType }
  return {
    path,
    element: (
      <Guard route={route}>
        <Suspense fallback={hasShell(route) ? loadingPage : bareLoadingPage}>
          <Page />
        </Suspense>
      </Guard>
    ),
    errorElement: hasShell(route) ? errorPage : bareErrorPage,
  }
}

// Loaded separately from the shell, to keep the sign-in page small.
const { Part: Shell, fetch: fetchShell } = loadable(async () => (await import('./shell/shell.tsx')).Shell)

const ignore = () => undefined // the component that needs it loads it again and shows the error

/**
 * Preloads what the first page needs, and resolves when it can be rendered at once, or after a second: rendered earlier, it would show a
 * fallback, which React keeps for at least 300 ms.
 */
export const fetchFirstPage = async () => {
  const path = window.location.pathname
  const needsSignIn = !sessionStore.get() && findRoute(path)?.access !== 'public'
  const parts = [fetchPage(needsSignIn ? '/login' : path)]
  if (sessionStore.get()) parts.push(fetchShell().then(ignore), queryClient.prefetchQuery(allListSettings))
  else window.addEventListener('load', () => setTimeout(prefetchAfterSignIn, 500), { once: true })
  const timeout = new Promise((resolve) => setTimeout(resolve, 1000))
  await Promise.race([Promise.all(parts).catch(ignore), timeout])
}

const prefetchAfterSignIn = () => {
  fetchShell().catch(ignore)
  fetchPage('/').catch(ignore)
}

/** The menu around the page, for signed-in users. */
const ShellLayout = () =>
  useSession() ? (
    <Suspense fallback={bareLoadingPage}>
      <Shell>
        <Outlet />
      </Shell>
    </Suspense>
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
