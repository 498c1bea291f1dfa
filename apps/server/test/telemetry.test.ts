import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp } from './app.ts'
import { runServer, type ServerProcess, untilReady } from './server-process.ts'

const test = openTestApp()

/** What a collector has received, by path. */
const received: Record<string, string[]> = { '/v1/traces': [], '/v1/metrics': [] }
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  received[request.url ?? '']?.push(Buffer.concat(chunks).toString('utf8'))
  response.setHeader('content-type', 'application/json').end('{}')
})
let server: ServerProcess

beforeAll(async () => {
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  server = await untilReady(
    await runServer({
      DATABASE_URL: test.database.url,
      LIS_SECRET: 'a secret of more than thirty-two characters',
      LIS_DATA_DIR: test.database.folder,
      LIS_WEB: 'vite',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_SERVICE_NAME: 'lis-test',
    }),
  )
})
afterAll(async () => {
  await server?.stop('SIGINT')
  collector.close()
})

interface ExportedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}
const spans = (): ExportedSpan[] =>
  (received['/v1/traces'] ?? []).flatMap((text) =>
    JSON.parse(text).resourceSpans.flatMap((one: { scopeSpans: { spans: ExportedSpan[] }[] }) =>
      one.scopeSpans.flatMap((scope) => scope.spans),
    ),
  )

describe('traces and metrics by OTLP', () => {
  it('SCALE-09 are exported by settings alone: a span per call with its statements, in the trace of the caller', async () => {
    const { id: patientId } = await test.given.patient({ last_name: 'Traceless', first_name: 'Quentin' })
    await test.given.requisition({ patient_id: patientId })
    const admin = await test.as('ADM')
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const filter = encodeURIComponent('[patientLastName:Traceless]')
    const reply = await fetch(`${server.url}/api/v3.0/requisitions/ALL?page=1&perPage=25&filter=${filter}`, {
      headers: { authorization: `Bearer ${admin.token}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    })
    expect(await reply.text()).toContain('Traceless')
    const callSpan = () => spans().find((span) => span.traceId === traceId && span.name.startsWith('GET '))
    await expect.poll(callSpan).toBeDefined()
    const call = callSpan()
    expect(call?.name).toContain('/api/v3.0/requisitions/:view')
    expect(call?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } })
    expect(spans().filter(({ parentSpanId }) => parentSpanId === call?.spanId)).toContainEqual(
      expect.objectContaining({ name: 'postgresql SELECT' }),
    )
    for (const metric of ['lis_audit_seal_age_seconds', 'http.server.request.duration'])
      await expect.poll(() => received['/v1/metrics']?.join('')).toContain(metric)
  })

  it('SCALE-09 hold no patient data: neither names nor values of filters nor texts of statements', async () => {
    await wait(1000)
    const all = Object.values(received).flat().join('')
    expect(all).toContain('lis-test')
    expect(all).not.toMatch(/Traceless|Quentin|patientLastName|requisition_list|select /)
  })
})

describe('the Grafana board and the alert rules', () => {
  const folder = join(import.meta.dirname, '../../../deploy/monitoring')
  const board = readFileSync(join(folder, 'grafana-board.json'), 'utf8')
  const rules = readFileSync(join(folder, 'alert-rules.yaml'), 'utf8')

  it('SCALE-09 name only metrics that /metrics gives', async () => {
    const { body } = await test.inject({ method: 'GET', url: '/metrics' })
    const given = new Set([...String(body).matchAll(/^# TYPE (\S+)/gmu)].map(([, name]) => name))
    const expressions = [
      ...JSON.parse(board).panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
      ...[...rules.matchAll(/expr: (.+)/gu)].map(([, expr]) => expr),
    ]
    expect(expressions.length).toBeGreaterThan(10)
    const used = expressions.join('\n').match(/\b(lis|http|database|stored|nodejs|process)_\w+/gu) ?? []
    // With a replica only: see replica.test.ts.
    const known = (name: string) =>
      given.has(name.replace(/_(bucket|sum|count)$/, '')) || name.startsWith('lis_replica_')
    expect([...new Set(used)].filter((name) => !known(name))).toEqual([])
  })
})
