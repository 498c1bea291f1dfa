import { z } from 'zod'
import { exported, one } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get } from './kit/route.ts'

/** Why a person may open a record, or may not: each rule that the server checks, and where it is defined. */
const explanation = z.object({
  isAllowed: z.boolean(),
  rules: z.array(z.object({ text: z.string(), from: z.string() })),
})
export type Explanation = z.infer<typeof explanation>

const recordMessage = 'record must be requisitions/{id}'
const record = z
  .string({ error: recordMessage })
  .regex(/^\/?requisitions\/[1-9]\d{0,14}$/, recordMessage)
  .transform((text) => Number(text.split('/').at(-1)))

export const accessReviewRoutes = {
  why: get('users/:id/why', {
    access: 'users.list',
    summary: 'Why this person may open a record, or may not: `record=requisitions/{id}`',
    params: byId,
    query: z.object({ record }),
    reply: one(explanation),
  }),
  export: get('access_review/export', {
    access: 'users.list',
    isReportApi: true,
    summary: 'Every account with the rows it sees and what it may do',
    query: listQuery({
      sort: ['id', 'userName', 'userRoleDesc'],
      filter: ['userRoleCode', 'userStatusCode'],
      defaultPerPage: 10,
    }),
    reply: exported,
    makesFile: true,
  }),
}
