import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AuditKey, macOf } from './key.ts'

/**
 * The external record of the audit, in `audit/` of the data folder: every seal, and the rows that were written since the last one. Without it,
 * rows removed from the end of the audit would go unnoticed. Each line has its own MAC.
 */
interface SignedLine {
  keyMark: string
  mac: string
}

export const auditFolder = (dataDir: string) => join(dataDir, 'audit')
export const sealFile = 'seals.jsonl'
const tailFile = (day: string) => `tail-${day}.jsonl`

export const appendLines = async <T extends object>(
  folder: string,
  file: string,
  key: AuditKey,
  lines: readonly T[],
) => {
  if (lines.length === 0) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = lines.map((line) => `${JSON.stringify(signed(key, line))}\n`).join('')
  await appendFile(join(folder, file), text, { mode: 0o600, flush: true })
}

export const appendTail = (folder: string, key: AuditKey, line: object) =>
  appendLines(folder, tailFile(new Date().toISOString().slice(0, 10)), key, [line])

const tailDays = 3

/** Older rows have long been sealed. */
export const removeOldTails = async (folder: string) => {
  const oldest = tailFile(new Date(Date.now() - tailDays * 86_400_000).toISOString().slice(0, 10))
  for (const name of await namesIn(folder)) if (isTail(name) && name < oldest) await rm(join(folder, name))
}

export interface ReadLines<T> {
  lines: (T & SignedLine)[]
  /** Lines that were changed. */
  broken: string[]
}

export const readSeals = <T>(folder: string, key: AuditKey) => readLines<T>(folder, key, (name) => name === sealFile)
export const readTails = <T>(folder: string, key: AuditKey) => readLines<T>(folder, key, isTail)

const isTail = (name: string) => /^tail-[\d-]+\.jsonl$/.test(name)
const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder).catch(() => [])).sort()

const readLines = async <T>(
  folder: string,
  key: AuditKey,
  isWanted: (name: string) => boolean,
): Promise<ReadLines<T>> => {
  const found: ReadLines<T> = { lines: [], broken: [] }
  for (const name of (await namesIn(folder)).filter(isWanted)) {
    // Text after the last line end is a line that is being written, or was cut off by a power failure.
    const texts = (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1)
    texts.forEach((text, index) => {
      const line = parse<T & SignedLine>(text)
      if (line && isAuthentic(key, line)) found.lines.push(line)
      else found.broken.push(`${name}, line ${index + 1}`)
    })
  }
  return found
}

const parse = <T>(text: string): T | null => {
  try {
    return JSON.parse(text) as T
  } catch {
    return null
  }
}

const signed = (key: AuditKey, line: object) => {
  const withKey = { ...line, keyMark: key.fingerprint }
  return { ...withKey, mac: macOf(key, JSON.stringify(withKey)) }
}

/** A line that was written with another secret cannot be verified, but is still compared with the database. */
const isAuthentic = (key: AuditKey, { mac, ...line }: SignedLine): boolean =>
  line.keyMark !== key.fingerprint || mac === macOf(key, JSON.stringify(line))
