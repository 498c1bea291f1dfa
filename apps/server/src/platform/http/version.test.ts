import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { expectedVersion } from './version.ts'

const request = (header: string | undefined, body?: unknown) =>
  ({ headers: { ...(header !== undefined && { 'if-match': header }) }, body }) as FastifyRequest

describe('the version that a caller has read', () => {
  it.each([
    ['"3"', undefined, 3],
    ['W/"3"', { version: 2 }, 3],
    ['*', { version: 2 }, null],
    [undefined, { version: 2 }, 2],
    [undefined, { version: '2' }, null],
    [undefined, undefined, null],
  ])('is in the header %s or in the body %j', (header, body, version) => {
    expect(expectedVersion(request(header, body))).toBe(version)
  })
  it('must be a number in the header', () => {
    expect(() => expectedVersion(request('"x"'))).toThrow('If-Match')
  })
})
