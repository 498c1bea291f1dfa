import { z } from 'zod'
import { one } from './kit/envelope.ts'
import { get } from './kit/route.ts'

/** What the web app must know before anybody has signed in. */
export const publicConfig = z.object({
  idp: z.object({ endpoint: z.string(), clientId: z.string() }),
  /** Demo data, demo accounts and the demo outbox are there. */
  demo: z.boolean(),
  /** After how many days a password has to be changed; null where a pool outside decides. */
  passwordDays: z.number().int().nullable(),
  /** The zone of the default laboratory, in which screens tell what happened (TABLE-G17). */
  labTz: z.string(),
  productName: z.string(),
  version: z.string(),
})
export type PublicConfig = z.infer<typeof publicConfig>

export const configRoutes = {
  one: get('config', { access: 'public', reply: one(publicConfig) }),
}
