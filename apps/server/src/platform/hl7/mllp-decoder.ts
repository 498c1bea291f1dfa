const startOfBlock = 0x0b
const endOfBlock = 0x1c
const carriageReturn = 0x0d

/** The largest message that is accepted, in bytes. */
export const maxMessageBytes = 1024 * 1024

export class MessageTooLarge extends Error {}

/** Wraps a message for MLLP. */
export const mllpBlock = (message: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from([startOfBlock]),
    typeof message === 'string' ? Buffer.from(message) : message,
    Buffer.from([endOfBlock, carriageReturn]),
  ])

/** Finds the messages in a stream of bytes that arrives in any chunks; bytes between blocks are ignored. */
export class MllpDecoder {
  readonly #maxBytes: number
  #parts: Buffer[] | null = null
  #size = 0
  /** The last chunk ended with the first byte of the end mark. */
  #isEndPending = false

  constructor(maxBytes = maxMessageBytes) {
    this.#maxBytes = maxBytes
  }

  /** A block has begun and not ended. */
  get isInBlock(): boolean {
    return this.#parts !== null
  }

  /** The messages that are complete with this chunk. Throws `MessageTooLarge`; the stream is of no use after that. */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = []
    let rest = chunk
    while (rest.length > 0) {
      if (!this.#parts) {
        const start = rest.indexOf(startOfBlock)
        if (start < 0) return messages
        this.#begin()
        rest = rest.subarray(start + 1)
      } else if (this.#isEndPending) {
        this.#isEndPending = false
        if (rest[0] === carriageReturn) {
          messages.push(this.#end())
          rest = rest.subarray(1)
        } else this.#add(Buffer.from([endOfBlock]))
      } else {
        const end = rest.indexOf(endOfBlock)
        this.#add(end < 0 ? rest : rest.subarray(0, end))
        if (end < 0) return messages
        this.#isEndPending = true
        rest = rest.subarray(end + 1)
      }
    }
    return messages
  }

  #begin() {
    this.#parts = []
    this.#size = 0
  }

  #add(part: Buffer) {
    this.#size += part.length
    if (this.#size > this.#maxBytes) throw new MessageTooLarge(`More than ${this.#maxBytes} bytes without an end`)
    if (part.length > 0) this.#parts?.push(part)
  }

  #end(): Buffer {
    const message = Buffer.concat(this.#parts ?? [])
    this.#parts = null
    return message
  }
}
