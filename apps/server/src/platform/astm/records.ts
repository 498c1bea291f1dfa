import { isUtf8 } from 'node:buffer'

/** A message of LIS2-A2 as text: its records, each ended by CR. */
export interface TakenMessage {
  text: string
  /** From its header to its L record. */
  isComplete: boolean
}

/** Reassembles records that are split across frames, and finds the messages in them. */
export class MessageReader {
  /** Complete records of the current message, as bytes. */
  #records: string[]
  #rest = ''

  /** `pending` is the rest left by another process. */
  constructor(pending = '') {
    const lines = pending.split('\r')
    this.#rest = lines.pop() ?? ''
    this.#records = lines
  }

  /** The incomplete message (without its L record), as bytes. */
  get pending(): string {
    return [...this.#records, this.#rest].join('\r')
  }

  push(text: string, isLast: boolean): TakenMessage[] {
    const lines = (this.#rest + text).split(/\r\n?|\n/)
    this.#rest = lines.pop() ?? ''
    if (isLast && this.#rest !== '') {
      lines.push(this.#rest)
      this.#rest = ''
    }
    return lines.flatMap((line) => this.#add(line))
  }

  /** The message that will not be completed; null if there is none. */
  end(): TakenMessage | null {
    const pending = this.pending
    this.#records = []
    this.#rest = ''
    return pending.trim() === '' ? null : { text: decode(pending), isComplete: false }
  }

  #add(line: string): TakenMessage[] {
    if (line.trim() === '') return []
    const messages: TakenMessage[] = []
    if (line.startsWith('H') && this.#records.length > 0) {
      messages.push(this.#take(false))
    }
    this.#records.push(line)
    if (line.startsWith('L')) messages.push(this.#take(this.#records[0]?.startsWith('H') === true))
    return messages
  }

  #take(isComplete: boolean): TakenMessage {
    const text = decode(this.#records.map((record) => `${record}\r`).join(''))
    this.#records = []
    return { text, isComplete }
  }
}

/** Bytes as text: UTF-8 where it is, else Latin-1. */
const decode = (bytes: string): string => {
  const buffer = Buffer.from(bytes, 'latin1')
  return isUtf8(buffer) ? buffer.toString('utf8') : bytes
}

export interface AstmRecord {
  /** H, P, O, R, C, Q, M or L. */
  type: string
  /** As sent. */
  raw: string
  /** `fields[0]` is the type, so that field n of the standard is `fields[n - 1]`. */
  fields: readonly string[]
}

interface AstmDelimiters {
  field: string
  repeat: string
  component: string
  escape: string
}

export interface AstmMessage {
  delimiters: AstmDelimiters
  records: readonly AstmRecord[]
}

const usualDelimiters: AstmDelimiters = { field: '|', repeat: '\\', component: '^', escape: '&' }

/** The records of a message, with the delimiters that its header names. */
export const parseAstm = (text: string): AstmMessage => {
  const lines = text.split('\r').filter((line) => line.trim() !== '')
  const [header = ''] = lines
  const [, field, repeat, component, escapeSign] = header.startsWith('H') ? header : ''
  const delimiters =
    field && repeat && component && escapeSign ? { field, repeat, component, escape: escapeSign } : usualDelimiters
  return {
    delimiters,
    records: lines.map((line) => {
      const raw = line.replace(/^\s+/, '')
      return { type: raw.slice(0, 1).toUpperCase(), raw, fields: raw.split(delimiters.field) }
    }),
  }
}

/** Field n of the standard as sent; '' where there is none. */
export const rawAstmField = (record: AstmRecord | undefined, field: number): string => record?.fields[field - 1] ?? ''

/** The repeats of a field, as sent. */
export const astmRepeats = ({ delimiters }: AstmMessage, record: AstmRecord | undefined, field: number): string[] => {
  const raw = rawAstmField(record, field)
  return raw === '' ? [] : raw.split(delimiters.repeat)
}

/** The components of a repeat, unescaped and trimmed. */
export const astmComponents = ({ delimiters }: AstmMessage, repeat: string): string[] =>
  repeat.split(delimiters.component).map((part) => unescapeAstm(part, delimiters).trim())

/** A field as text: the first of its components that is not empty. */
export const astmText = (message: AstmMessage, record: AstmRecord | undefined, field: number): string =>
  astmComponents(message, astmRepeats(message, record, field)[0] ?? '').find((part) => part !== '') ?? ''

const unescapeAstm = (text: string, delimiters: AstmDelimiters): string => {
  const { field, repeat, component, escape: sign } = delimiters
  const known: Record<string, string> = { F: field, S: component, R: repeat, E: sign, H: '', N: '' }
  const [first = '', ...parts] = text.split(sign)
  let result = first
  while (parts.length > 0) {
    const code = parts.shift() as string
    const value = parts.length > 0 ? known[code] : undefined
    result += value === undefined ? sign + code : value + parts.shift()
  }
  return result
}

/** Escapes the delimiters that we send. */
export const escapeAstm = (text: string): string =>
  text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('&', '&E&')
    .replaceAll('|', '&F&')
    .replaceAll('^', '&S&')
    .replaceAll('\\', '&R&')
