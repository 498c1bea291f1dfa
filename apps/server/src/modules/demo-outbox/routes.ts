import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Pool } from '../../platform/db/pool.ts'
import { bodyOf, type EncryptionTools } from '../../platform/messaging/raw-message.ts'
import { type DemoMessage, outboxPage, outboxStyle } from './page.ts'

const querySchema = z.object({ to: z.string().max(320).optional().catch(undefined) })

/** Where messages of the demo arrive instead of at a phone or a mailbox. Register it in demo mode only: it shows codes and links. */
export const demoOutboxRoutes = (app: FastifyInstance, pool: Pool, tools: EncryptionTools) => {
  app.get('/demo/outbox.json', async (request, reply) => {
    const { to } = querySchema.parse(request.query)
    return reply.header('cache-control', 'no-store').send(await listMessages(pool, tools, to))
  })
  app.get('/demo/outbox', async (request, reply) => {
    const { to } = querySchema.parse(request.query)
    const page = outboxPage(await listMessages(pool, tools, to))
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      .send(page)
  })
  app.get('/demo/outbox.css', (_, reply) => reply.type('text/css; charset=utf-8').send(outboxStyle))
}

const listMessages = async (pool: Pool, tools: EncryptionTools, to: string | undefined): Promise<DemoMessage[]> => {
  const { rows } = await pool.query<DemoMessage & { encrypted_body: Buffer | null }>(
    `select id, channel, recipient as "to", subject, body, encrypted_body, created_at as "createdAt" from outbox_message
     where $1::text is null or lower(recipient) = lower($1) order by id desc limit 200`,
    [to ?? null],
  )
  return rows.map(({ encrypted_body, ...row }) => ({ ...row, body: bodyOf(tools, { body: row.body, encrypted_body }) }))
}
