import type { FastifyInstance } from 'fastify'
import { withConnectionLabel } from '../db/connection-tracking.ts'

/** One line per call with its route pattern, never the address: addresses carry names, tokens and filters. */
export const logRequests = (app: FastifyInstance) => {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
  })
}

/** A database connection that is held for too long is reported with the route that holds it. */
export const labelConnections = (app: FastifyInstance) => {
  app.addHook('preHandler', (request, _, done) =>
    withConnectionLabel(`${request.method} ${request.routeOptions.url ?? 'none'}`, done),
  )
}
