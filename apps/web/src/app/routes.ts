import type { Permission } from '@lis/contract/access/permissions.ts'
import type { ComponentType } from 'react'

export interface AppRoute {
  path: string
  /** Brings the page's own chunk. */
  load: () => Promise<ComponentType>
  /** Who may open it: holders of a permission, or everybody. */
  access: Permission | 'public'
  /** Public pages that show the menu to those who have one. */
  isInShell?: boolean
}

/** Every page of the product. Router, guards, menu and quick jump all read this table; a page that is not here does not exist. */
export const appRoutes: readonly AppRoute[] = [
  { path: '/', access: 'home.open', load: async () => (await import('../features/home/home-page.tsx')).HomePage },
  {
    path: '/login',
    access: 'public',
    load: async () => (await import('../features/sign-in/login-page.tsx')).LoginPage,
  },
  {
    path: '/403',
    access: 'public',
    isInShell: true,
    load: async () => (await import('./status-pages.tsx')).ForbiddenPage,
  },
  { path: '*', access: 'public', isInShell: true, load: async () => (await import('./status-pages.tsx')).NotFoundPage },
]

/** The page at an address without parameters, as menus name them. */
export const routeAt = (path: string): AppRoute | undefined => appRoutes.find((route) => route.path === path)
