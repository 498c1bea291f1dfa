import { decryptBytes, deriveKey, encryptBytes } from '../encryption.ts'

/** What encrypts the messages of interfaces as they came or went. */
export interface MessageTools {
  config: { secret: string; publicUrl: string }
}

const key = ({ config }: MessageTools) => deriveKey(config.secret, 'interface-message')

export const encryptRaw = (tools: MessageTools, raw: Buffer) => encryptBytes(key(tools), raw)
export const decryptRaw = (tools: MessageTools, raw: Buffer) => decryptBytes(key(tools), raw)
