/** The control characters of LIS01-A2. */
export const control = {
  STX: 0x02,
  ETX: 0x03,
  EOT: 0x04,
  ENQ: 0x05,
  ACK: 0x06,
  LF: 0x0a,
  CR: 0x0d,
  NAK: 0x15,
  ETB: 0x17,
} as const

/** The longest text of a frame that is taken, and the longest that is sent. */
const maxFrameText = 64_000
const maxSentText = 240

interface Frame {
  number: number
  /** The bytes of the text, one character each. */
  text: string
  /** Ends with ETX; an intermediate frame ends with ETB. */
  isLast: boolean
}

/** An event from the other side: a control character, or a frame; `null` stands for a frame that is damaged. */
export type Signal = { kind: 'ENQ' | 'ACK' | 'NAK' | 'EOT' } | { kind: 'FRAME'; frame: Frame | null }

const kinds: Record<number, 'ENQ' | 'ACK' | 'NAK' | 'EOT'> = {
  [control.ENQ]: 'ENQ',
  [control.ACK]: 'ACK',
  [control.NAK]: 'NAK',
  [control.EOT]: 'EOT',
}

/** Sum modulo 256 of the frame number, the text and ETX or ETB, as two hexadecimal digits. */
export const checksumOf = (content: string): string => {
  let sum = 0
  for (let index = 0; index < content.length; index++) sum += content.charCodeAt(index)
  return (sum % 256).toString(16).toUpperCase().padStart(2, '0')
}

/**
 * Finds frames and control characters in a stream of bytes that arrives in any chunks. Within a frame only STX, ETX, ETB and the line end
 * count; the checksum verifies the other bytes.
 */
export class FrameReader {
  /** The frame so far, from its number on; null outside a frame. */
  #content: string | null = null
  /** The bytes after ETX or ETB; null before. */
  #tail: string | null = null
  #isTooLong = false

  push(chunk: Buffer): Signal[] {
    const signals: Signal[] = []
    for (const byte of chunk) this.#take(byte, signals)
    return signals
  }

  /** Forgets a frame that has begun. */
  reset() {
    this.#content = null
    this.#tail = null
    this.#isTooLong = false
  }

  #take(byte: number, signals: Signal[]) {
    if (byte === control.STX) {
      this.reset()
      this.#content = ''
    } else if (this.#content === null) {
      const kind = kinds[byte]
      if (kind) signals.push({ kind })
    } else if (this.#tail !== null) {
      this.#takeTail(byte, signals)
    } else {
      const isEnd = byte === control.ETX || byte === control.ETB
      if (isEnd) this.#tail = ''
      if (isEnd || this.#content.length <= maxFrameText) this.#content += String.fromCharCode(byte)
      else this.#isTooLong = true
    }
  }

  /** Two digits, CR, LF. Anything else ends the frame as damaged. */
  #takeTail(byte: number, signals: Signal[]) {
    const tail = this.#tail as string
    if (tail.length < 2 || (tail.length === 2 && byte === control.CR)) {
      this.#tail = tail + String.fromCharCode(byte)
      return
    }
    const isEnded = byte === control.LF
    const frame = isEnded && !this.#isTooLong ? frameOf(this.#content as string, tail.slice(0, 2)) : null
    this.reset()
    signals.push({ kind: 'FRAME', frame })
    if (!isEnded) this.#take(byte, signals)
  }
}

const frameOf = (content: string, checksum: string): Frame | null => {
  const number = content.charCodeAt(0) - 0x30
  if (number < 0 || number > 7 || checksumOf(content) !== checksum.toUpperCase()) return null
  return { number, text: content.slice(1, -1), isLast: content.charCodeAt(content.length - 1) === control.ETX }
}

/** The frames of a message, each as bytes: numbers from 1, at most 240 characters of text. */
export const framesOf = (message: string): Buffer[] => {
  const bytes = Buffer.from(message).toString('latin1')
  const count = Math.max(1, Math.ceil(bytes.length / maxSentText))
  return Array.from({ length: count }, (_, index) => {
    const text = bytes.slice(index * maxSentText, (index + 1) * maxSentText)
    const end = String.fromCharCode(index === count - 1 ? control.ETX : control.ETB)
    const content = `${(index + 1) % 8}${text}${end}`
    return Buffer.from(`\x02${content}${checksumOf(content)}\r\n`, 'latin1')
  })
}
