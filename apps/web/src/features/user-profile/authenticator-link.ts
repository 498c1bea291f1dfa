/** The URI that authenticator apps read from a QR code (the 'otpauth' key URI format). */
export const authenticatorLink = (userName: string, secret: string): string => {
  const issuer = 'LIS'
  const query = new URLSearchParams({ issuer, secret, algorithm: 'SHA1', digits: '6', period: '30' })
  return `otpauth://totp/${issuer}:${encodeURIComponent(userName)}?${query}`
}

/** In groups of four, to type it from the screen. */
export const spaced = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret
