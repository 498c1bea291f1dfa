import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { KitData } from './kit-data.ts'

/** OWASP's figure for PBKDF2 with SHA-256. */
const keyRounds = 600_000

const { subtle } = crypto

/** One HTML file that a browser decrypts without a network, after the password was entered. */
export const writeKitPage = async (data: KitData, password: string): Promise<Buffer> => {
  const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))]
  const typed = await subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, ['deriveKey'])
  const key = await subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: keyRounds },
    typed,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt'],
  )
  const packed = await promisify(gzip)(JSON.stringify(data))
  const sealed = await subtle.encrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(packed))
  const base64 = (bytes: ArrayBuffer | Uint8Array) => Buffer.from(bytes as Uint8Array).toString('base64')
  const kit = { salt: base64(salt), iv: base64(iv), rounds: keyRounds, sealed: base64(sealed), madeAt: data.madeAt }
  const page = await readFile(join(import.meta.dirname, 'kit-page.html'), 'utf8')
  return Buffer.from(page.replace('SEALED_KIT', () => JSON.stringify(kit)))
}
