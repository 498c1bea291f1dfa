import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { deriveKey } from '../../encryption.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'

/** The one key that may administer the embedded pool; its secret is derived from ours and never leaves the server. */
export const adminCredentials = (secret: string) => ({
  accessKeyId: 'lis-admin',
  secretAccessKey: deriveKey(secret, 'identity-admin').toString('base64url'),
})

const maxSkewMs = 5 * 60_000
const refused = () =>
  new IdentityError('NotAuthorizedException', 'The request is not signed by an administrator of this pool')

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

/** Checks an AWS Signature Version 4, as the official client puts it on every administrative call. */
export const requireAdminSignature = (pool: PoolContext, request: FastifyRequest, rawBody: string) => {
  const { accessKeyId, secretAccessKey } = adminCredentials(pool.secret)
  const [, keyId, day, region, service, signedHeaders, signature] =
    authorization.exec(request.headers.authorization ?? '') ?? []
  const date = String(request.headers['x-amz-date'] ?? '')
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!signedHeaders || !signature || keyId !== accessKeyId || !(Math.abs(Date.now() - at) < maxSkewMs)) throw refused()
  const names = signedHeaders.split(';')
  if (!['host', 'x-amz-date', 'x-amz-target'].every((name) => names.includes(name))) throw refused()
  const headers = names
    .map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/\s+/g, ' ')}\n`,
    )
    .join('')
  const path = new URL(request.url, 'http://x').pathname
  const canonical = ['POST', path, '', headers, signedHeaders, sha256(rawBody)].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day ?? ''), region ?? ''), service ?? ''), 'aws4_request')
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n'))
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw refused()
}
