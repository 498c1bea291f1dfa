import fastify, { type FastifyInstance } from 'fastify'
import type { PoolContext } from '../../src/platform/identity/pool/context.ts'
import { registerPool } from '../../src/platform/identity/pool/protocol.ts'
import { adminOperations } from './admin-operations.ts'

/** A stand-in for a Cognito pool: the embedded pool at `/idp` with the administrative operations that only a real pool offers. */
export const buildCognitoServer = async (pool: PoolContext): Promise<FastifyInstance> => {
  const app = fastify()
  await app.register(
    async (idp) => {
      idp.addHook('preHandler', async (request, reply) => {
        const [, name = ''] = String(request.headers['x-amz-target'] ?? '').split('.')
        const administer = adminOperations.get(name)
        if (!administer) return
        const result = await administer(pool, (request.body as { json: unknown }).json)
        return reply.type('application/x-amz-json-1.1').send(JSON.stringify(result))
      })
      registerPool(idp, pool)
    },
    { prefix: '/idp' },
  )
  return app
}
