import { metrics } from '@opentelemetry/api'
import type { Pool } from './db/pool.ts'
import type { Services } from './services.ts'
import { isTelemetryOn, telemetryName } from './telemetry.ts'

export type OperatingFigures = readonly {
  name: string
  help: string
  labels: Record<string, string>
  value: number
}[]

const keptMs = 5000
const kept = new WeakMap<Pool, { at: number; figures: Promise<OperatingFigures> }>()

/** The most important operating figures, read from the database at most every five seconds. Figures that cannot be read are left out. */
export const readOperatingFigures = ({
  system,
  pools,
  largeReads,
}: Pick<Services, 'system' | 'pools' | 'largeReads'>): Promise<OperatingFigures> => {
  const known = kept.get(system)
  if (known && Date.now() - known.at < keptMs) return known.figures
  const figures = readQueues(system)
    .catch((): OperatingFigures => [])
    .then((queues) => [...queues, ...connectionsOf(pools), ...replicaOf(largeReads)])
  kept.set(system, { at: Date.now(), figures })
  return figures
}

const readQueues = async (system: Pool): Promise<OperatingFigures> => {
  const { rows } = await system.query<Record<string, string | null>>(`
    select
      (select count(*) from job where state = 'QUEUED') as queued,
      (select count(*) from job where state = 'RUNNING') as running,
      (select count(*) from job where state = 'FAILED') as failed,
      (select extract(epoch from now() - min(created_at)) from job where state = 'QUEUED') as oldest_job,
      (select count(*) from outbox_message where state in ('QUEUED', 'FAILED', 'SENDING')) as messages,
      (select extract(epoch from now() - min(created_at)) from outbox_message where state in ('QUEUED', 'FAILED', 'SENDING')) as oldest_message,
      (select extract(epoch from now() - sealed_at) from audit_seal order by id desc limit 1) as seal`)
  const row = rows[0] ?? {}
  const figure = (name: string, help: string, value: string | null | undefined, labels = {}) => ({
    name,
    help,
    labels,
    value: Number(value ?? 0),
  })
  const jobs = 'Background jobs by state; failed ones of the last 90 days'
  return [
    figure('lis_jobs', jobs, row.queued, { state: 'queued' }),
    figure('lis_jobs', jobs, row.running, { state: 'running' }),
    figure('lis_jobs', jobs, row.failed, { state: 'failed' }),
    figure('lis_job_oldest_seconds', 'How long the oldest job has been waiting', row.oldest_job),
    figure('lis_messages_waiting', 'Messages of the outbox that are not sent yet', row.messages),
    figure('lis_message_oldest_seconds', 'How long the oldest unsent message has been waiting', row.oldest_message),
    figure('lis_audit_seal_age_seconds', 'Time since the audit was last sealed', row.seal),
  ]
}

const connectionsOf = (pools: readonly Pool[]): OperatingFigures => {
  const sum = (count: (pool: Pool) => number) => pools.reduce((all, pool) => all + count(pool), 0)
  const figure = (state: string, value: number) => ({
    name: 'database_connections',
    help: 'Connections of the pools by state',
    labels: { state },
    value,
  })
  return [
    figure(
      'total',
      sum((pool) => pool.totalCount),
    ),
    figure(
      'idle',
      sum((pool) => pool.idleCount),
    ),
    figure(
      'waiting',
      sum((pool) => pool.waitingCount),
    ),
  ]
}

const replicaOf = ({ hasReplica, lagSeconds }: Services['largeReads']): OperatingFigures =>
  hasReplica
    ? [
        {
          name: 'lis_replica_lag_seconds',
          help: 'How far the replica is behind the primary; NaN while it is away',
          labels: {},
          value: lagSeconds ?? Number.NaN,
        },
      ]
    : []

/** The figures of `/metrics`, for those who collect by OTLP. */
export const exportOperatingFigures = (services: Pick<Services, 'system' | 'pools' | 'largeReads'>) => {
  if (!isTelemetryOn()) return
  const meter = metrics.getMeter(telemetryName)
  const gauges = new Map<string, ReturnType<typeof meter.createObservableGauge>>()
  const gaugeOf = (figure: OperatingFigures[number]) => {
    const known = gauges.get(figure.name)
    if (known) return known
    const gauge = meter.createObservableGauge(figure.name, { description: figure.help })
    gauges.set(figure.name, gauge)
    gauge.addCallback(async (result) => {
      for (const { labels, value } of (await readOperatingFigures(services)).filter((one) => one.name === figure.name))
        result.observe(value, labels)
    })
    return gauge
  }
  void readOperatingFigures(services).then((figures) => figures.forEach(gaugeOf))
}
