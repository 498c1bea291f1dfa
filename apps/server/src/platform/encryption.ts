import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Derives a separate key for each purpose, so that one leaked key decrypts nothing else. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'lis', purpose, 32))

/** AES-256-GCM: 12 bytes nonce, 16 bytes tag, then the content. */
export const encryptBytes = (key: Buffer, content: Buffer): Buffer => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(content), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

export const decryptBytes = (key: Buffer, encrypted: Buffer): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12))
  decipher.setAuthTag(encrypted.subarray(12, 28))
  return Buffer.concat([decipher.update(encrypted.subarray(28)), decipher.final()])
}

export const encrypt = (key: Buffer, text: string): Buffer => encryptBytes(key, Buffer.from(text))

export const decrypt = (key: Buffer, encrypted: Buffer): string => decryptBytes(key, encrypted).toString('utf8')
