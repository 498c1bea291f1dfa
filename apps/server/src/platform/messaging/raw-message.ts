import { decryptBytes, deriveKey, encryptBytes } from '../encryption.ts'
import { AppError } from '../errors.ts'

/** Encrypts messages with patient data, incoming and outgoing. */
export interface EncryptionTools {
  config: { secret: string }
}

export interface MessageTools {
  config: { secret: string; publicUrl: string }
}

const key = ({ config }: EncryptionTools) => deriveKey(config.secret, 'interface-message')

export const encryptRaw = (tools: EncryptionTools, raw: Buffer) => encryptBytes(key(tools), raw)
export const decryptRaw = (tools: EncryptionTools, raw: Buffer) => decryptBytes(key(tools), raw)

/** The text of a message in the outbox. */
export const bodyOf = (
  tools: EncryptionTools,
  { body, encrypted_body: encrypted }: { body: string; encrypted_body: Buffer | null },
): string => {
  if (!encrypted) return body
  try {
    return decryptRaw(tools, encrypted).toString()
  } catch (error) {
    throw new AppError('conflict', 'The message was encrypted with another LIS_SECRET and cannot be read', {
      cause: error,
    })
  }
}
