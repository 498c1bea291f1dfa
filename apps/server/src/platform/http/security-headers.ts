import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { contentPolicy, pageNonce } from './web-app.ts'

/** Security headers, the request id and `no-store` on every reply; `connect` lists the other origins that the browser may call. */
export const registerSecurityHeaders = async (
  app: FastifyInstance,
  { isHttps, connect }: { isHttps: boolean; connect: readonly string[] },
) => {
  await app.register(helmet, {
    contentSecurityPolicy: false, // set below: each page needs its own nonce
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
  })
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', contentPolicy(pageNonce(), connect))
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}
