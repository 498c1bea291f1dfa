import { describe, expect, it } from 'vitest'
import { pageAfterSignIn, returnAddressFor } from './return-address.ts'

describe('the page after sign-in', () => {
  it('SIGN-31 is the front page by default', () => {
    expect(pageAfterSignIn(null, 7)).toBe('/')
  })
  it('is the requested page', () => {
    expect(pageAfterSignIn(returnAddressFor('/clients?page=2'), 7)).toBe('/clients?page=2')
  })
  it('is not the page of the previous user', () => {
    expect(pageAfterSignIn(returnAddressFor('/clients', 7), 7)).toBe('/clients')
    expect(pageAfterSignIn(returnAddressFor('/clients', 7), 8)).toBe('/')
  })
  it.each(['//evil.test', 'https://evil.test', '/\\evil.test', 5, undefined])(
    'is never on another site: %s',
    (from) => {
      expect(pageAfterSignIn({ from }, 7)).toBe('/')
    },
  )
})
