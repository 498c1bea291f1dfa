import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { can, type Permission } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import { reportTabs } from '@lis/contract/reports-pages.ts'
import { tabsFor } from '@lis/contract/requisitions/tabs.ts'
import { requisitionViews, viewsFor } from '@lis/contract/requisitions/views.ts'
import type { Calls } from '../support/requisition.ts'

interface Screen {
  name: string
  path: string
}

// Read as text: the table brings the pages themselves along, which only a browser can run.
const table = readFileSync(join(import.meta.dirname, '../../apps/web/src/app/routes.ts'), 'utf8')
const routes = [...table.matchAll(/path: '([^']+)',\s+access: '([^']+)'/g)].map(([, path = '', access = '']) => ({
  path,
  access: access as Permission | 'public',
}))

const clientTabs = 9
const nameOf = (path: string) => path.replace(/[^a-zA-Z]+/g, '-').replace(/^-|-$/g, '') || 'home'

type Stage = 'Accessioned' | 'Processing' | 'Delivered'

/** The first record of a list; of requisitions the first in each stage, or any that the person has. */
const firstIds = async (api: Calls, list: string, stages: readonly Stage[]): Promise<[string, number][]> => {
  const firstOf = async (path: string) => ((await api.get(`${path}?perPage=1`)) as { id: number }[])[0]?.id
  if (list !== 'requisitions') return [['', (await firstOf(list)) ?? 0]]
  const found: [string, number][] = []
  for (const stage of stages) {
    const id = await firstOf(`requisitions/${requisitionViews[stage].api}`)
    if (id) found.push([`-${stage}`, id])
  }
  return found.length > 0 ? found : [['', (await firstOf('requisitions/ALL')) ?? 0]]
}

/** Every page and tab that a role may open, with records of its own; a requisition in each of the stages. */
export const screensOf = async (role: Role, api: Calls, stages: readonly Stage[]): Promise<Screen[]> => {
  const screens: Screen[] = []
  for (const { path, access } of routes) {
    if (access !== 'public' && !can(role, access)) continue
    const name = nameOf(path.replace(/:id$/, 'edit').replace(/:\w+/g, ''))
    if (path === '/login') continue
    if (path === '*') screens.push({ name: '404', path: '/no-such-page' })
    else if (path.endsWith(':token')) screens.push({ name, path: path.replace(':token', 'some-link') })
    else if (path === '/reports/:tabSlug')
      screens.push(...Object.keys(reportTabs).map((tab) => ({ name: `reports-${tab}`, path: `/reports/${tab}` })))
    else if (path === '/requisitions')
      screens.push(...viewsFor(role).map((view) => ({ name: `list-${view}`, path: `/requisitions?status=${view}` })))
    else if (path === '/requisitions/:id/show') continue
    else if (path.includes(':id')) {
      for (const [mark, id] of await firstIds(api, path.split('/')[1] ?? '', stages)) {
        const own = path.replace(':id', String(id))
        if (path.endsWith(':tabSlug'))
          screens.push(
            ...tabsFor(role).map((tab) => ({ name: `requisition-${tab}${mark}`, path: own.replace(':tabSlug', tab) })),
          )
        else if (path === '/clients/:id/show')
          for (let tab = 0; tab < clientTabs; tab++) screens.push({ name: `${name}-${tab}`, path: `${own}?tab=${tab}` })
        else screens.push({ name, path: own })
      }
    } else screens.push({ name, path })
  }
  return screens
}
