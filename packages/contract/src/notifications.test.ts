import { expect, it } from 'vitest'
import { z } from 'zod'
import { collaboratorRoutes } from './collaborators.ts'
import type { Route } from './kit/route.ts'
import { notificationRoutes, unreadCount } from './notifications.ts'
import { quickJumpRoutes } from './quick-jump.ts'
import { salesRoutes } from './sales.ts'
import { smartFilterRoutes } from './smart-filters.ts'

it('ISSUE-45 unread is the total minus the read count, at least zero', () => {
  expect([unreadCount({ issueCount: 3, readCount: 1 }), unreadCount({ issueCount: 1, readCount: 2 })]).toEqual([2, 0])
})

const groups = [collaboratorRoutes, notificationRoutes, quickJumpRoutes, salesRoutes, smartFilterRoutes]
const routes: Route[] = groups.flatMap((group) => Object.values(group))

it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s can be documented',
  (_, route) => {
    for (const schema of [route.params, route.query, route.body]) {
      if (schema) expect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type).toBe('object')
    }
    expect(z.toJSONSchema(route.reply, { unrepresentable: 'any' }).type).toBe('object')
  },
)
