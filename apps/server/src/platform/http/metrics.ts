import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LargeReads } from '../db/large-reads.ts'
import { readOperatingFigures } from '../operating-figures.ts'
import type { Services } from '../services.ts'

/** Times by route pattern, never by address: an address may carry a name or a token. */
export const registerMetrics = (
  app: FastifyInstance,
  services: Pick<Services, 'system' | 'pools' | 'fileAlarm' | 'largeReads' | 'config'>,
) => {
  const { fileAlarm, largeReads, config } = services
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  new Counter({
    name: 'stored_files_changed_total',
    help: 'Reads of stored files that had been changed',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(fileAlarm.count)
    },
  })
  if (largeReads.hasReplica) countReplicaReads(registry, largeReads)
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', async (request, reply) => {
    const token = config.METRICS_TOKEN
    if (token && request.headers.authorization !== `Bearer ${token}`)
      return reply.code(401).send('METRICS_TOKEN required')
    const figures = await figuresText(services)
    return reply.type(registry.contentType).send(`${await registry.metrics()}\n${figures}`)
  })
}

const countReplicaReads = (registry: Registry, largeReads: LargeReads) => {
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

/** In a registry of their own: which there are depends on what could be read. */
const figuresText = async (services: Parameters<typeof readOperatingFigures>[0]): Promise<string> => {
  const registry = new Registry()
  for (const [name, same] of Map.groupBy(await readOperatingFigures(services), (figure) => figure.name)) {
    const labelNames = Object.keys(same[0]?.labels ?? {})
    const gauge = new Gauge({ name, help: same[0]?.help ?? name, labelNames, registers: [registry] })
    for (const { labels, value } of same) gauge.set(labels, value)
  }
  return registry.metrics()
}
