import { z } from 'zod'
import { roles } from './access/roles.ts'
import { one } from './kit/envelope.ts'
import { byId, get } from './kit/route.ts'
import { flag01 } from './validation.ts'

/** ACT enabled, LCK disabled. */
export const userStatuses = ['ACT', 'LCK'] as const

export const user = z.object({
  id: z.number().int(),
  /** The same number as `id`; the specification carries both. */
  userId: z.number().int(),
  userFirstName: z.string(),
  userLastName: z.string(),
  /** Digits with the country code. */
  userPhone: z.string(),
  userEmail: z.string(),
  userName: z.string(),
  userRoleCode: z.enum(roles),
  userRoleDesc: z.string(),
  userStatusCode: z.enum(userStatuses),
  userStatusDesc: z.string(),
  deptIds: z.array(z.number().int()),
  depts: z.array(z.object({ deptId: z.number().int(), deptName: z.string() })),
  isSubscribed: flag01,
  entityId: z.number().int().nullable(),
  entityName: z.string().nullable(),
  userCreateDate: z.iso.datetime({ offset: true }),
  lastLogonDate: z.iso.datetime({ offset: true }).nullable(),
  /** Set while the user still has a temporary password. */
  tempPwdExpiredDate: z.iso.datetime({ offset: true }).nullable(),
})
export type User = z.infer<typeof user>

export const userRoutes = {
  one: get('users/:id', {
    access: 'profile.own',
    summary: "One's own record; any record with 'users.list'",
    params: byId,
    reply: one(user),
  }),
}
