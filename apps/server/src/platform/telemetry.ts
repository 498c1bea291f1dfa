import { context, metrics, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LogEvent } from 'kysely'

export const telemetryName = 'lis'
let isOn = false

/** Whether traces and metrics are exported. */
export const isTelemetryOn = () => isOn

/**
 * Exports traces and metrics by OTLP when OTEL_EXPORTER_OTLP_ENDPOINT is set; the SDK reads the other OTEL_ variables. Without it nothing is
 * loaded. Spans and attributes hold route patterns, kinds of jobs and the first word of statements, never addresses, values or texts.
 */
export const startTelemetry = async (endpoint: string | undefined): Promise<() => Promise<void>> => {
  if (!endpoint) return async () => undefined
  const env = process.env
  env.OTEL_SERVICE_NAME ??= telemetryName
  // Without the command line and the owner of the process.
  env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env,host,serviceinstance'
  env.OTEL_LOGS_EXPORTER ??= 'none'
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  const sdk = new NodeSDK({ instrumentations: [] })
  sdk.start()
  isOn = true
  return async () => {
    isOn = false
    // The collector may be unavailable: data it did not accept is lost, and the stop continues.
    await sdk.shutdown().catch(() => undefined)
  }
}

const spans = new WeakMap<FastifyRequest, Span>()

/** A span and a duration for each call. */
export const traceRequests = (app: FastifyInstance) => {
  if (!isOn) return
  const tracer = trace.getTracer(telemetryName)
  const seconds = metrics.getMeter(telemetryName).createHistogram('http.server.request.duration', { unit: 's' })
  app.addHook('onRequest', async (request) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'none'
    const parent = propagation.extract(context.active(), request.headers)
    const attributes = { 'http.request.method': method, 'http.route': route, 'lis.request_id': request.id }
    spans.set(request, tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent))
  })
  // The body has been read by now: its events would lose the context.
  app.addHook('preHandler', (request, _, done) => {
    const span = spans.get(request)
    if (span) context.with(trace.setSpan(context.active(), span), done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    seconds.record(reply.elapsedTime / 1000, {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? 'none',
      'http.response.status_code': reply.statusCode,
    })
  })
}

/** A span for work that no call has asked for, such as a job. */
export const withSpan = <T>(title: string, run: () => Promise<T>): Promise<T> => {
  if (!isOn) return run()
  return trace.getTracer(telemetryName).startActiveSpan(title, async (span) => {
    try {
      return await run()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** A span for each statement of a call or a job; the text stays here, since it may contain values. */
export const traceStatement = ({ level, query, queryDurationMillis }: LogEvent) => {
  if (!isOn || !trace.getActiveSpan()) return
  const operation = /^\s*(\w+)/.exec(query.sql)?.[1]?.toUpperCase() ?? 'STATEMENT'
  const span = trace.getTracer(telemetryName).startSpan(`postgresql ${operation}`, {
    kind: SpanKind.CLIENT,
    startTime: Date.now() - queryDurationMillis,
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation },
  })
  if (level === 'error') span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
