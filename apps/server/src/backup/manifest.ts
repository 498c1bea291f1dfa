import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { deriveKey } from '../platform/encryption.ts'
import { StartError } from '../platform/start-error.ts'

const timeOfBound = /(?:MINVALUE|'[\d :+.-]+')/.source
const boundsOfPart = new RegExp(`^(DEFAULT|FOR VALUES FROM \\(${timeOfBound}\\) TO \\(${timeOfBound}\\))$`)

const partSchema = z.object({ name: z.string(), bounds: z.string().regex(boundsOfPart) })

const tableSchema = z.object({
  schema: z.string(),
  name: z.string(),
  /** Without the generated ones, which the database computes itself. */
  columns: z.array(z.string()),
  rows: z.number(),
  /** Of the rows as COPY writes them, before compression. */
  bytes: z.number(),
  sha256: z.string(),
  /** The parts of a partitioned table, and which rows are in them as PostgreSQL says it. */
  parts: z.array(partSchema).default([]),
})

const sequenceSchema = z.object({ schema: z.string(), name: z.string(), value: z.string(), isCalled: z.boolean() })

const auditSchema = z.object({
  rows: z.number(),
  lastId: z.number(),
  lastHash: z.string(),
  seals: z.number(),
  lastSeal: z.string(),
})

/** The table of contents of a backup; anything else in its folder is not part of it. */
const manifestSchema = z.object({
  format: z.literal(1),
  /** The version of the program that made it. */
  program: z.string(),
  madeAt: z.string(),
  /** Shows whether another secret is in use, without revealing it. */
  secret: z.string(),
  migrations: z.array(z.object({ name: z.string(), hash: z.string() })),
  /** The schema version of pg-boss, which migrates its own tables. */
  queueVersion: z.number(),
  tables: z.array(tableSchema),
  sequences: z.array(sequenceSchema),
  audit: auditSchema,
  files: z.object({
    /** Where they were: `disk`, or the bucket of the outside store. */
    place: z.string(),
    /** False: only their list is here, the files are in the external store. */
    isIncluded: z.boolean(),
    count: z.number(),
    bytes: z.number(),
    /** Of the list. */
    sha256: z.string(),
  }),
})

export type PartBounds = z.output<typeof partSchema>
export type TableContent = z.output<typeof tableSchema>
export type SequencePart = z.output<typeof sequenceSchema>
export type AuditHead = z.output<typeof auditSchema>
export type Manifest = z.output<typeof manifestSchema>

const fileSchema = z.object({ key: z.string(), bytes: z.number(), sha256: z.string() })
export type FilePart = z.output<typeof fileSchema>

export const manifestFile = 'manifest.json'
export const fileList = 'files.jsonl'
export const tableFile = ({ schema, name }: Pick<TableContent, 'schema' | 'name'>) =>
  join('tables', `${schema}.${name}.copy.gz`)
export const objectFile = (key: string) => join('files', key)

export const sha256Of = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

export const secretFingerprint = (secret: string) => sha256Of(deriveKey(secret, 'backup mark')).slice(0, 16)

/** The manifest and its checksum, so that every change of a backup is noticed. */
export const serializeManifest = (manifest: Manifest) => {
  const text = `${JSON.stringify(manifest, null, 1)}\n`
  return { text, seal: `${sha256Of(text)}  ${manifestFile}\n` }
}

export const readManifest = async (folder: string): Promise<Manifest> => {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => null)
  if (text === null) throw new StartError(`${folder} is not a backup: it has no ${manifestFile}.`)
  const seal = await readFile(join(folder, `${manifestFile}.sha256`), 'utf8').catch(() => '')
  if (seal.slice(0, 64) !== sha256Of(text))
    throw new StartError(`The backup is damaged: ${manifestFile} does not fit its checksum.`)
  const parsed = manifestSchema.safeParse(JSON.parse(text))
  if (!parsed.success) throw new StartError('The backup has a form that this program does not know.')
  return parsed.data
}

export const readFileList = async (folder: string, manifest: Manifest): Promise<FilePart[]> => {
  const text = await readFile(join(folder, fileList), 'utf8').catch(() => '')
  if (sha256Of(text) !== manifest.files.sha256)
    throw new StartError(`The backup is damaged: ${fileList} does not fit its checksum.`)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => fileSchema.parse(JSON.parse(line)))
}
