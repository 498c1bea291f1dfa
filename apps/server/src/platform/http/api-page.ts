import type { FastifyInstance } from 'fastify'
import type { Module } from './implement.ts'
import { type OtherCall, openApiDocument, rolesOf } from './open-api.ts'

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const style = `body{font:13px/20px system-ui,sans-serif;color:#222C34;margin:32px auto;max-width:960px;padding:0 16px}
h1{font-size:20px;color:#131B21}h2{font-size:14px;margin:24px 0 8px}a{color:#005F85}
details{border-bottom:1px solid #E1E6EA;padding:6px 0}summary{cursor:pointer;display:flex;gap:12px;align-items:baseline}
code,pre{font:12px/18px ui-monospace,monospace}pre{background:#F5F7F9;padding:12px;overflow:auto;border-radius:6px}
.method{width:52px;font-weight:600;color:#004C6A}.roles{margin-left:auto;color:#5F6E7B;font-size:11px}`

/** The API as an HTML page: every call with its roles, input and reply. It has no script, so the strict content policy applies here too. */
export const registerApiPages = (
  app: FastifyInstance,
  modules: Module[],
  base: string,
  version: string,
  others: readonly OtherCall[],
) => {
  // Built per request: kept in memory, the schemas would take more space than the routes themselves.
  app.get(`${base}/openapi.json`, async (_, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(openApiDocument(modules, base, version, others))),
  )
  app.get('/docs/api', async (_, reply) =>
    reply.type('text/html; charset=utf-8').send(page(openApiDocument(modules, base, version), base, others)),
  )
  app.get('/docs/api.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(style))
}

interface Operation {
  summary: string
  'x-access': Parameters<typeof rolesOf>[0]
}

const page = (document: Record<string, unknown>, base: string, others: readonly OtherCall[]) => {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>).sort(([a], [b]) =>
    a.localeCompare(b),
  )
  const calls = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => call(method, path, operation)),
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>LIS API</title><link rel="stylesheet" href="/docs/api.css"></head><body><h1>Lab Information System (LIS) API</h1>
<p>Base address <code>${base}</code>. Send the session token as <code>Authorization: Bearer</code>. Machine-readable:
<a href="${base}/openapi.json">openapi.json</a>.</p>${calls.join('\n')}
<h2>FHIR and OAuth</h2><p>From the root of the address; <code>/fhir/R4/metadata</code> says more.</p>
${others.map(otherCall).join('\n')}</body></html>`
}

const otherCall = ({ method, path, roles, summary }: OtherCall) =>
  `<details><summary><span class="method">${method.toUpperCase()}</span>
<code>${escapeHtml(path)}</code><span class="roles">${escapeHtml(roles)}</span></summary><p>${escapeHtml(summary)}</p></details>`

const call = (
  method: string,
  path: string,
  operation: Operation,
) => `<details><summary><span class="method">${method.toUpperCase()}</span>
<code>${escapeHtml(path)}</code><span class="roles">${escapeHtml(rolesOf(operation['x-access']).join(', ') || 'nobody')}</span></summary>
<p>${escapeHtml(operation.summary)}</p><pre>${escapeHtml(JSON.stringify(operation, null, 2))}</pre></details>`
