import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

const maxDepth = 64

/** Deeper than any form: recursive code would run out of stack. Brackets inside strings do not count. */
const isTooDeep = (text: string): boolean => {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (isText) {
      if (char === 0x5c) at++
      else if (char === 0x22) isText = false
    } else if (char === 0x22) isText = true
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > maxDepth) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}

/** Parses JSON as Fastify does, rejecting names such as `__proto__`, and checks the depth before parsing. */
export const addJsonParser = (app: FastifyInstance, contentType: string) => {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(contentType, { parseAs: 'string' }, (request, body, done) => {
    if (isTooDeep(String(body))) return done(new AppError('invalid', 'The body is nested too deeply'))
    return parse(request, String(body), done)
  })
}

/** JSON alone: a form on another site can send plain text. */
export const registerJsonParser = (app: FastifyInstance) => {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  addJsonParser(app, 'application/json')
}
