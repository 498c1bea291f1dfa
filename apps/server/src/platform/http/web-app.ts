import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

const webFolder = join(import.meta.dirname, '../../../../web/dist')

/** A new nonce per reply: it allows the page's own inline styles and nothing else. */
export const pageNonce = () => randomBytes(16).toString('base64url')

export const contentPolicy = (nonce: string, connect: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')

/** Serves the built web app: assets have hashed names and are cached for ever, the page is never cached and has a new nonce each time. */
export const registerWebApp = async (app: FastifyInstance, connect: readonly string[]) => {
  const indexFile = join(webFolder, 'index.html')
  if (!existsSync(indexFile)) return null
  const index = readFileSync(indexFile, 'utf8')
  await app.register(fastifyStatic, {
    root: webFolder,
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  return (reply: FastifyReply) => {
    const nonce = pageNonce()
    return reply
      .header('content-security-policy', contentPolicy(nonce, connect))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(index.replaceAll('__CSP_NONCE__', nonce))
  }
}
