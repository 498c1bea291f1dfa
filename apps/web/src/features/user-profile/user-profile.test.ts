import { TOTP, URI } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { authenticatorLink, spaced } from './authenticator-link.ts'
import { deviceName } from './device-name.ts'

describe('the link for an authenticator app', () => {
  it('is read by a real implementation, whatever the name', () => {
    const read = URI.parse(authenticatorLink('jane+lab@example.com', 'JBSWY3DPEHPK3PXP'))
    expect(read).toBeInstanceOf(TOTP)
    expect(read).toMatchObject({ issuer: 'LIS', label: 'jane+lab@example.com', digits: 6, period: 30 })
    expect(read.secret.base32).toBe('JBSWY3DPEHPK3PXP')
  })
  it('shows its key in groups of four', () => expect(spaced('JBSWY3DPEH')).toBe('JBSW Y3DP EH'))
})

describe('a device name', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36', 'Chrome on Windows'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0', 'Edge on Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari on iOS'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['curl/8.5.0', 'curl/8.5.0'],
  ])('%s is %s', (userAgent, name) => expect(deviceName(userAgent)).toBe(name))
})
