import { describe, expect, it } from 'vitest'
import { pageAfterSignIn, returnAddressFor } from './return-address.ts'

describe('the page after signing in', () => {
  it('SIGN-31 is the front page when nothing else was asked for', () => {
    expect(pageAfterSignIn(null, 7)).toBe('/')
  })
  it('is the page that was asked for', () => {
    expect(pageAfterSignIn(returnAddressFor('/clients?page=2'), 7)).toBe('/clients?page=2')
  })
  it('is not the page of the person before', () => {
    expect(pageAfterSignIn(returnAddressFor('/clients', 7), 7)).toBe('/clients')
    expect(pageAfterSignIn(returnAddressFor('/clients', 7), 8)).toBe('/')
  })
  it.each(['//evil.test', 'https://evil.test', '/\\evil.test', 5, undefined])('is never outside: %s', (from) => {
    expect(pageAfterSignIn({ from }, 7)).toBe('/')
  })
})
