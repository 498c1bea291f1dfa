import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Pool } from '../db/pool.ts'

/** Times by route pattern, never by address: an address may carry a name or a token. */
export const registerMetrics = (
  app: FastifyInstance,
  pools: readonly Pool[],
  alarm: { readonly count: number },
  token: string | undefined,
) => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'database_connections',
    help: 'Connections of the pools by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const sum = (count: (pool: Pool) => number) => pools.reduce((all, pool) => all + count(pool), 0)
      this.set(
        { state: 'total' },
        sum((pool) => pool.totalCount),
      )
      this.set(
        { state: 'idle' },
        sum((pool) => pool.idleCount),
      )
      this.set(
        { state: 'waiting' },
        sum((pool) => pool.waitingCount),
      )
    },
  })
  new Counter({
    name: 'stored_files_changed_total',
    help: 'Reads of stored files that were not what was kept',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(alarm.count)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', async (request, reply) => {
    if (token && request.headers.authorization !== `Bearer ${token}`)
      return reply.code(401).send('METRICS_TOKEN required')
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
