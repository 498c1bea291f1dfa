import type { PublicKeys } from '@lis/contract/api-clients.ts'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { callOutside } from '../../platform/outbound/call.ts'
import type { SigningClient } from './queries.ts'

/** Why an assertion is rejected; the text is for the engineer of the client and contains nothing secret. */
export class RefusedAssertion extends Error {}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const assertionAlgorithms = ['RS384', 'ES384']
const longestAheadSeconds = 300
/** Clocks differ by a little. */
const toleranceSeconds = 5
const longestAssertion = 20_000

/** The client that an assertion names, before it is verified. */
export const claimedClientId = (assertion: string): string => {
  if (assertion.length > longestAssertion) throw new RefusedAssertion('client_assertion is too long')
  try {
    const { iss } = decodeJwt(assertion)
    if (typeof iss === 'string' && iss !== '') return iss
  } catch {
    throw new RefusedAssertion('client_assertion is not a JSON Web Token')
  }
  throw new RefusedAssertion('client_assertion has no iss')
}

/** The key that an assertion names. */
export const claimedKeyId = (assertion: string): string | undefined => {
  try {
    return decodeProtectedHeader(assertion).kid
  } catch {
    throw new RefusedAssertion('The header of client_assertion is malformed')
  }
}

export interface Assertion {
  jti: string
  expiresAt: Date
}

/** Verifies signature and claims; the caller checks whether it was used before. */
export const verifyAssertion = async (
  assertion: string,
  clientId: string,
  keys: PublicKeys,
  audiences: readonly string[],
): Promise<Assertion> => {
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet(keys as JSONWebKeySet), {
      algorithms: assertionAlgorithms,
      issuer: clientId,
      subject: clientId,
      audience: [...audiences],
      clockTolerance: toleranceSeconds,
      requiredClaims: ['exp', 'jti'],
    })
    const { exp = 0, jti } = payload
    if (!protectedHeader.kid) throw new RefusedAssertion('client_assertion has no kid')
    if (exp > Date.now() / 1000 + longestAheadSeconds + toleranceSeconds)
      throw new RefusedAssertion('exp of client_assertion is more than 5 minutes ahead')
    if (typeof jti !== 'string' || jti === '' || jti.length > 200) throw new RefusedAssertion('jti must be a text')
    return { jti, expiresAt: new Date((exp + toleranceSeconds) * 1000) }
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new RefusedAssertion(wordsOf(error))
    // For example a point that is not on its curve.
    if (error instanceof TypeError || error instanceof DOMException)
      throw new RefusedAssertion('The key of the client cannot be used')
    throw error
  }
}

const wordsOf = (error: errors.JOSEError): string => {
  if (error instanceof errors.JWTExpired) return 'client_assertion has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `${error.claim} of client_assertion is wrong`
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `alg of client_assertion must be ${assertionAlgorithms.join(' or ')}`
  if (error instanceof errors.JWKSNoMatchingKey) return 'No key of the client has the kid and alg of client_assertion'
  return 'The signature of client_assertion is wrong'
}

const cachedMs = 5 * 60_000
const renewAfterMs = 10_000
const maxCached = 500
const maxKeyBytes = 100_000
const fetchMs = 5000

/** The keys of clients that publish them; read again when they are old, or when an assertion is signed with an unknown key. */
export const keySource = (allow: readonly string[]) => {
  const cache = new Map<string, { at: number; keys: PublicKeys }>()
  const fetchKeys = async (url: string): Promise<PublicKeys> => {
    const signal = AbortSignal.timeout(fetchMs)
    const headers = { accept: 'application/json' }
    const { status, text } = await callOutside(url, { method: 'GET', headers, allow, signal, maxBytes: maxKeyBytes })
    if (status !== 200) throw new RefusedAssertion(`The address of the keys answers ${status}`)
    const keys = parseKeys(text)
    if (cache.size >= maxCached) cache.clear()
    cache.set(url, { at: Date.now(), keys })
    return keys
  }
  return async ({ jwks, jwks_url: url }: SigningClient, kid: string | undefined): Promise<PublicKeys> => {
    if (jwks) return jwks
    if (url === null) throw new RefusedAssertion('The client signs in with a secret')
    const known = cache.get(url)
    const age = Date.now() - (known?.at ?? 0)
    const hasKey = known?.keys.keys.some((key) => key.kid === kid)
    if (known && (hasKey ? age < cachedMs : age < renewAfterMs)) return known.keys
    try {
      return await fetchKeys(url)
    } catch (error) {
      if (error instanceof RefusedAssertion) throw error
      throw new RefusedAssertion('The keys of the client cannot be read from their address')
    }
  }
}

const parseKeys = (text: string): PublicKeys => {
  try {
    const parsed = JSON.parse(text) as PublicKeys
    if (Array.isArray(parsed.keys)) return parsed
  } catch {
    // See below.
  }
  throw new RefusedAssertion('The address of the keys does not answer with a JSON Web Key Set')
}
