import { z } from 'zod'
import { one } from './kit/envelope.ts'
import { get } from './kit/route.ts'

/** Settings that the web app needs before sign-in. */
const publicConfig = z.object({
  idp: z.object({ endpoint: z.string(), clientId: z.string() }),
  /** Demo data, demo accounts and the demo outbox are available. */
  demo: z.boolean(),
  /** Days until a password expires; null where an external user pool decides. */
  passwordDays: z.number().int().nullable(),
  /** The time zone of the default laboratory, used for timestamps on screens (TABLE-G17). */
  labTz: z.string(),
  productName: z.string(),
  version: z.string(),
})

export const configRoutes = {
  one: get('config', { access: 'public', reply: one(publicConfig) }),
}
