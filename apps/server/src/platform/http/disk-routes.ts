import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import type { DiskStore } from '../storage/disk-store.ts'
import { contentDisposition, isObjectKey } from '../storage/object-store.ts'
import { claimSlot, releaseSlot, slotSeconds } from '../storage/slots.ts'
import { allowUpload } from './connections.ts'

export interface StorageDeps {
  store: DiskStore
  db: Db
}

const maxBodyBytes = 2 ** 40 // each slot's policy limits the size; this only lifts the limit of ordinary calls
const fieldLimits = { fieldSize: 8 * 1024, fields: 20, files: 1, parts: 21 }

/** The HTTP endpoints of the disk store: the same signed forms and signed URLs that S3 offers. The signature is the permission. */
export const storageRoutes = async (app: FastifyInstance, { store, db }: StorageDeps) => {
  await app.register(async (storage) => {
    await storage.register(multipart, { limits: { ...fieldLimits, fileSize: maxBodyBytes } })

    // Before the body is read: an upload without a valid signature is rejected at once.
    const verifySignature = async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        const query = Object.entries(request.query as Record<string, unknown>)
        store.verifyAddress(new Map(query.map(([name, value]) => [name, String(value)])))
        if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? ''))
          throw invalid('file', 'Send the file as a multipart form')
      } catch (error) {
        endConnection(request, reply)
        throw error
      }
    }
    storage.post('/storage', { bodyLimit: maxBodyBytes, onRequest: verifySignature }, async (request, reply) => {
      try {
        await receive(request, store, db)
      } catch (error) {
        endConnection(request, reply)
        throw error
      }
      return reply.code(204).send()
    })

    storage.get<{ Params: { '*': string } }>('/storage/*', async (request, reply) => {
      const key = request.params['*']
      const query = downloadQuery.safeParse(request.query)
      if (!query.success || !isObjectKey(key)) throw forbidden('The download address is not valid')
      store.verifyDownload(key, query.data)
      const found = await store.stat(key)
      if (!found) throw notFound('File')
      const body = await store.read(key, query.data.sha256)
      return reply
        .type(query.data.type)
        .header('content-length', found.size)
        .header('content-disposition', contentDisposition(query.data.name, query.data.inline === '1'))
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'private, no-store')
        .send(body)
    })
  })
}

const closeAfterMs = 2000

/** A rejected sender may still be sending: it gets a moment to read the reply, then the connection is closed. */
const endConnection = (request: FastifyRequest, reply: FastifyReply) => {
  reply.header('connection', 'close')
  reply.raw.once('close', () => request.raw.destroy())
  reply.raw.once('finish', () =>
    setTimeout(() => request.raw.destroy(), request.raw.complete ? 0 : closeAfterMs).unref(),
  )
}

const downloadQuery = z.object({
  expires: z.string().regex(/^\d{1,12}$/),
  name: z.string(),
  type: z.string().regex(/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/),
  inline: z.enum(['0', '1']),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.string(),
})

const receive = async (request: FastifyRequest, store: DiskStore, db: Db) => {
  const fields = new Map<string, string>()
  for await (const part of request.parts()) {
    // As with S3, fields after the file are ignored.
    if (part.type === 'file') return receiveFile(request, part, fields, store, db)
    fields.set(part.fieldname.toLowerCase(), String(part.value))
  }
  throw invalid('file', 'The form carries no file')
}

const receiveFile = async (
  request: FastifyRequest,
  part: MultipartFile,
  fields: Map<string, string>,
  store: DiskStore,
  db: Db,
) => {
  try {
    const { key, maxBytes } = store.verifyUpload(fields)
    if (!isObjectKey(key) || !(await claimSlot(db, key)))
      throw forbidden('This upload address is unknown, was used before or has expired')
    allowUpload(request.raw, slotSeconds * 1000)
    try {
      await store.receive(key, part.file, maxBytes)
    } catch (error) {
      await releaseSlot(db, key) // nothing was stored: the user may retry with the same slot
      throw error
    }
  } catch (error) {
    part.file.resume() // a rejected file is read to its end, otherwise the sender never reads the reply
    throw error
  }
}
