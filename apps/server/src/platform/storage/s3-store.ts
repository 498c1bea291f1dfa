import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { toUnreachable } from '../aws.ts'
import { notFound } from '../errors.ts'
import { contentDisposition, type ObjectStore, requireObjectKey, settledKey } from './object-store.ts'
import { type Fingerprint, fingerprintOf, type OnChanged, verifiedReads } from './verified.ts'

export interface S3Options {
  bucket: string
  region: string
  endpoint?: string | undefined
  accessKeyId: string
  secretAccessKey: string
  forcePathStyle: boolean
  onChanged?: OnChanged | undefined
}

const partBytes = 8 * 1024 * 1024

export const openS3Store = (options: S3Options): ObjectStore => {
  const client = new S3Client({
    region: options.region,
    ...(options.endpoint && { endpoint: options.endpoint }),
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: options.forcePathStyle,
    // By default the SDK signs the checksum of an empty body into presigned URLs.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const send = (async (command: Parameters<Send>[0]) => {
    try {
      return await client.send(command as never)
    } catch (error) {
      throw toUnreachable(error, 'The file store cannot be reached, please try again')
    }
  }) as Send
  const at = (key: string) => ({ Bucket: options.bucket, Key: requireObjectKey(key) })

  const stat = async (key: string) => {
    try {
      const { ContentLength } = await send(new HeadObjectCommand(at(key)))
      return { size: ContentLength ?? 0 }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  const open = async (key: string) => {
    try {
      return await send(new GetObjectCommand(at(key)))
    } catch (error) {
      throw isMissing(error) ? notFound('File') : error
    }
  }
  const get = async (key: string) => (await open(key)).Body as Readable
  const fingerprint = async (key: string): Promise<Fingerprint> => {
    const { Body, VersionId } = await open(key)
    return { ...(await fingerprintOf(Body as Readable)), version: VersionId }
  }
  const { verify, read } = verifiedReads({ get, fingerprint }, options.onChanged)

  return {
    put: async (key, body, contentType) => {
      const hash = createHash('sha256')
      await putParts(send, at(key), hashed(Buffer.isBuffer(body) ? [body] : body, hash), contentType)
      return { sha256: hash.digest('hex') }
    },
    get,
    read,
    verify,
    stat,
    remove: async (key) => {
      await send(new DeleteObjectCommand(at(key)))
    },
    uploadSlot: async (key, { maxBytes, expiresSeconds }) => {
      const { url, fields } = await createPresignedPost(client, {
        ...at(key),
        Conditions: [['content-length-range', 0, maxBytes]],
        Expires: expiresSeconds,
      })
      // The SDK capitalizes the names and repeats the bucket of the URL; S3 ignores the case.
      const { bucket: _, ...rest } = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]),
      )
      return { url, fields: rest }
    },
    downloadUrl: async (key, { sha256, fileName, contentType, inline, expiresSeconds }) => {
      const { version } = await verify(key, sha256)
      return getSignedUrl(
        client,
        new GetObjectCommand({
          ...at(key),
          // In a bucket with versioning the URL is for the version that was verified.
          ...(version && version !== 'null' && { VersionId: version }),
          ResponseContentDisposition: contentDisposition(fileName, inline),
          ResponseContentType: contentType,
          ResponseCacheControl: 'private, no-store',
        }),
        { expiresIn: expiresSeconds },
      )
    },
    settle: async (key) => {
      // S3 cannot revoke a signed form: until it expires, its holder could overwrite the object that we have checked.
      const settled = settledKey(key)
      if (!(await stat(key))) {
        if (await stat(settled)) return settled
        throw notFound('File')
      }
      await send(new CopyObjectCommand({ ...at(settled), CopySource: `${options.bucket}/${requireObjectKey(key)}` }))
      await send(new DeleteObjectCommand(at(key)))
      return settled
    },
  }
}

async function* hashed(body: Iterable<Buffer> | AsyncIterable<Buffer>, hash: Hash) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}

const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound'].includes((error as Error).name)

type Send = S3Client['send']
type ObjectAddress = { Bucket: string; Key: string }

/** S3 needs the length in advance, which a stream does not have: up to 8 MiB are sent as one object, more in parts of 8 MiB. */
const putParts = async (
  send: Send,
  address: ObjectAddress,
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
  contentType: string,
) => {
  let upload: { UploadId: string | undefined } | null = null
  const parts: { ETag: string | undefined; PartNumber: number }[] = []
  try {
    for await (const { bytes, isLast } of inParts(body)) {
      if (isLast && !upload) {
        await send(new PutObjectCommand({ ...address, Body: bytes, ContentType: contentType }))
        return
      }
      upload ??= {
        UploadId: (await send(new CreateMultipartUploadCommand({ ...address, ContentType: contentType }))).UploadId,
      }
      const PartNumber = parts.length + 1
      const { ETag } = await send(new UploadPartCommand({ ...address, ...upload, PartNumber, Body: bytes }))
      parts.push({ ETag, PartNumber })
    }
    if (upload)
      await send(new CompleteMultipartUploadCommand({ ...address, ...upload, MultipartUpload: { Parts: parts } }))
  } catch (error) {
    if (upload) await send(new AbortMultipartUploadCommand({ ...address, ...upload })).catch(() => undefined)
    throw error
  }
}

async function* inParts(body: Iterable<Buffer> | AsyncIterable<Buffer>) {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    if (size >= partBytes) {
      yield { bytes: Buffer.concat(held), isLast: false }
      held = []
      size = 0
    }
    held.push(chunk)
    size += chunk.length
  }
  yield { bytes: Buffer.concat(held), isLast: true }
}
