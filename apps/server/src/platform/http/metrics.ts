import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LargeReads } from '../db/large-reads.ts'
import type { Pool } from '../db/pool.ts'
import type { Services } from '../services.ts'

/** Times by route pattern, never by address: an address may carry a name or a token. */
export const registerMetrics = (
  app: FastifyInstance,
  { pools, fileAlarm, largeReads, config }: Pick<Services, 'pools' | 'fileAlarm' | 'largeReads' | 'config'>,
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
      this.inc(fileAlarm.count)
    },
  })
  if (largeReads.hasReplica) registerReplicaMetrics(registry, largeReads)
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', async (request, reply) => {
    const token = config.METRICS_TOKEN
    if (token && request.headers.authorization !== `Bearer ${token}`)
      return reply.code(401).send('METRICS_TOKEN required')
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

const registerReplicaMetrics = (registry: Registry, largeReads: LargeReads) => {
  new Gauge({
    name: 'lis_replica_lag_seconds',
    help: 'How far the replica is behind the primary; NaN while it is away',
    registers: [registry],
    collect() {
      this.set(largeReads.lagSeconds ?? Number.NaN)
    },
  })
  new Counter({
    name: 'lis_replica_reads_total',
    help: 'Reads of exports, reports and insights, by where they were answered',
    labelNames: ['target'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [target, count] of Object.entries(largeReads.counts)) this.inc({ target }, count)
    },
  })
}
