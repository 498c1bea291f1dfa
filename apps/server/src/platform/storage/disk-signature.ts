import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { forbidden } from '../errors.ts'
import type { DownloadOptions, UploadLimits } from './object-store.ts'

const algorithm = 'AWS4-HMAC-SHA256'
const region = 'disk'
const securityToken = 'none'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
/** The key derivation of AWS Signature Version 4, so that the form is the same as that of S3. */
const uploadKey = (secret: string, day: string) =>
  ['s3', 'aws4_request'].reduce((key, part) => hmac(key, part), hmac(hmac(`AWS4${secret}`, day), region))
const downloadKey = (secret: string) => hmac(secret, 'storage download')

const isSame = (given: string, expected: string) => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The signed form fields that allow their holder to store one object. */
export const signUpload = (
  secret: string,
  key: string,
  { maxBytes, expiresSeconds }: UploadLimits,
  now = new Date(),
) => {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = stamp.slice(0, 8)
  const signed = {
    key,
    'x-amz-algorithm': algorithm,
    'x-amz-credential': `lis/${day}/${region}/s3/aws4_request`,
    'x-amz-date': stamp,
    'x-amz-security-token': securityToken,
  }
  const document = {
    expiration: new Date(now.getTime() + expiresSeconds * 1000).toISOString(),
    conditions: [
      ...Object.entries(signed).map(([name, value]) => ({ [name]: value })),
      ['content-length-range', 0, maxBytes],
    ],
  }
  const policy = Buffer.from(JSON.stringify(document)).toString('base64')
  return { ...signed, policy, 'x-amz-signature': hmac(uploadKey(secret, day), policy).toString('hex') }
}

const policySchema = z.object({
  expiration: z.iso.datetime(),
  conditions: z.array(
    z.union([
      z.tuple([z.literal('content-length-range'), z.number().int(), z.number().int()]),
      z.record(z.string(), z.string()),
    ]),
  ),
})

/** The form fields that are repeated in the URL, where they are verified before the body is read. */
const urlFields = ['policy', 'x-amz-date', 'x-amz-signature'] as const

export const uploadQuery = (fields: Record<string, string>): string =>
  new URLSearchParams(Object.fromEntries(urlFields.map((name) => [name, fields[name] ?? '']))).toString()

/** Rejects a form that was not signed here, was changed, or has expired. */
export const verifyPolicy = (secret: string, fields: ReadonlyMap<string, string>, now = new Date()) => {
  const policy = fields.get('policy') ?? ''
  const day = (fields.get('x-amz-date') ?? '').slice(0, 8)
  const expected = hmac(uploadKey(secret, day), policy).toString('hex')
  if (!isSame(fields.get('x-amz-signature') ?? '', expected)) throw forbidden('The upload signature is not valid')
  const { expiration, conditions } = policySchema.parse(JSON.parse(Buffer.from(policy, 'base64').toString('utf8')))
  if (new Date(expiration) <= now) throw forbidden('The upload address has expired')
  return conditions
}

/** Verifies a signed form and returns what it allows. */
export const verifyUpload = (secret: string, fields: ReadonlyMap<string, string>, now = new Date()) => {
  const conditions = verifyPolicy(secret, fields, now)
  let maxBytes = 0
  for (const condition of conditions) {
    if (Array.isArray(condition)) maxBytes = condition[2]
    else requireFields(fields, condition)
  }
  return { key: fields.get('key') ?? '', maxBytes }
}

const requireFields = (fields: ReadonlyMap<string, string>, condition: Record<string, string>) => {
  for (const [name, value] of Object.entries(condition)) {
    if (fields.get(name) !== value) throw forbidden(`The upload policy does not allow this ${name}`)
  }
}

export interface SignedDownload {
  expires: string
  name: string
  type: string
  inline: string
  /** Hash of the file that the URL is for. */
  sha256: string
  signature: string
}

const downloadSignature = (
  secret: string,
  key: string,
  { expires, name, type, inline, sha256 }: Omit<SignedDownload, 'signature'>,
) => hmac(downloadKey(secret), JSON.stringify(['GET', key, expires, name, type, inline, sha256])).toString('hex')

export const signDownload = (
  secret: string,
  key: string,
  options: DownloadOptions,
  now = Date.now(),
): SignedDownload => {
  const terms = {
    expires: String(Math.ceil(now / 1000) + options.expiresSeconds),
    name: options.fileName.toWellFormed(),
    type: options.contentType,
    inline: options.inline ? '1' : '0',
    sha256: options.sha256,
  }
  return { ...terms, signature: downloadSignature(secret, key, terms) }
}

export const verifyDownload = (secret: string, key: string, given: SignedDownload, now = Date.now()) => {
  if (!isSame(given.signature, downloadSignature(secret, key, given)))
    throw forbidden('The download signature is not valid')
  if (Number(given.expires) * 1000 <= now) throw forbidden('The download address has expired')
}
