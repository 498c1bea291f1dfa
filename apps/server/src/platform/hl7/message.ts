import { isUtf8 } from 'node:buffer'

/** A segment: its name and its fields as sent. `fields[0]` is the first field (of MSH: the field separator itself). */
export interface Segment {
  name: string
  /** Which one of its name it is, from 1. */
  sequence: number
  fields: readonly string[]
}

export interface Delimiters {
  field: string
  component: string
  repetition: string
  escape: string
  subcomponent: string
}

type Charset = 'ascii' | 'utf8' | 'latin1'

export interface Hl7Message {
  delimiters: Delimiters
  charset: Charset
  /** The character set that the message names is none of those that are read. */
  isCharsetUnknown: boolean
  /** There are bytes outside the character set, or control characters. */
  hasBadBytes: boolean
  text: string
  segments: readonly Segment[]
}

export const defaultDelimiters: Delimiters = {
  field: '|',
  component: '^',
  repetition: '~',
  escape: '\\',
  subcomponent: '&',
}

/** How a field is emptied, as opposed to left as it is. */
export const explicitNull = '""'

const charsets: Record<string, Charset> = {
  '': 'utf8',
  ASCII: 'ascii',
  'UNICODE UTF-8': 'utf8',
  '8859/1': 'latin1',
}

/** Null for a block that does not begin with MSH and its delimiters. */
export const parseMessage = (bytes: Buffer): Hl7Message | null => {
  const delimiters = delimitersOf(bytes.subarray(0, 16).toString('latin1'))
  if (!delimiters) return null
  const [header = ''] = bytes.toString('latin1').split(/[\r\n]/, 1)
  const name = (header.split(delimiters.field)[17] ?? '').split(delimiters.repetition)[0] ?? ''
  const charset = charsets[name.trim()]
  const text = decode(bytes, charset ?? 'utf8')
  return {
    delimiters,
    charset: charset ?? 'utf8',
    isCharsetUnknown: charset === undefined,
    hasBadBytes: !isWithin(bytes, charset ?? 'utf8') || hasControls(text),
    text,
    segments: segmentsIn(text, delimiters.field),
  }
}

const delimitersOf = (start: string): Delimiters | null => {
  const field = start[3]
  if (!start.startsWith('MSH') || field === undefined || /[\w\s]/.test(field)) return null
  const encoding = /^[^\r\n]*/.exec(start.slice(4))?.[0].split(field)[0] ?? ''
  const [component = '^', repetition = '~', escapeSign = '\\', subcomponent = '&'] = encoding
  const all = [field, component, repetition, escapeSign, subcomponent]
  if (encoding === '' || new Set(all).size < all.length || all.some((one) => /[\w\s]/.test(one))) return null
  return { field, component, repetition, escape: escapeSign, subcomponent }
}

const decode = (bytes: Buffer, charset: Charset) =>
  bytes.toString(charset === 'utf8' ? 'utf8' : 'latin1').replace(/^\uFEFF/, '')

const isWithin = (bytes: Buffer, charset: Charset): boolean => {
  if (charset === 'utf8') return isUtf8(bytes)
  return charset === 'latin1' || bytes.every((byte) => byte < 0x80)
}

/** NUL and its like: nothing that reads a message expects them, and the database refuses some. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const hasControls = (text: string) => controls.test(text)
export const withoutControls = (text: string) => text.replace(new RegExp(controls.source, 'g'), '')

const segmentsIn = (text: string, separator: string): Segment[] => {
  const counts = new Map<string, number>()
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    if (line.trim() === '') return []
    const [name = '', ...fields] = line.split(separator)
    const sequence = (counts.get(name) ?? 0) + 1
    counts.set(name, sequence)
    return [{ name, sequence, fields: name === 'MSH' ? [separator, ...fields] : fields }]
  })
}

export const findSegment = ({ segments }: Hl7Message, name: string): Segment | undefined =>
  segments.find((segment) => segment.name === name)

/** A field as sent, with its delimiters and escapes; '' where there is none. */
export const rawField = (segment: Segment | undefined, field: number): string => segment?.fields[field - 1] ?? ''

/** The repetitions of a field as sent. */
export const repetitions = ({ delimiters }: Hl7Message, segment: Segment | undefined, field: number): string[] => {
  const raw = rawField(segment, field)
  return raw === '' ? [] : raw.split(delimiters.repetition)
}

/** One component of a repetition, unescaped and trimmed; its first subcomponent unless another is asked for. */
export const componentOf = (message: Hl7Message, repetition: string, component: number, subcomponent = 1): string => {
  const { delimiters } = message
  const part = repetition.split(delimiters.component)[component - 1] ?? ''
  return unescapeText(message, part.split(delimiters.subcomponent)[subcomponent - 1] ?? '').trim()
}

/** One component of the first repetition of a field. */
export const fieldValue = (message: Hl7Message, segment: Segment | undefined, field: number, component = 1): string =>
  componentOf(message, repetitions(message, segment, field)[0] ?? '', component)

/** Decodes the escapes of a text. Highlighting is dropped; what is unknown stays as it is. */
export const unescapeText = ({ delimiters, charset }: Hl7Message, text: string): string => {
  const sign = delimiters.escape
  if (!text.includes(sign)) return text
  const known: Record<string, string> = {
    F: delimiters.field,
    S: delimiters.component,
    T: delimiters.subcomponent,
    R: delimiters.repetition,
    E: sign,
    H: '',
    N: '',
    '.br': '\n',
  }
  const parts = text.split(sign)
  let result = parts[0] ?? ''
  for (let index = 1; index < parts.length; index++) {
    const code = parts[index] as string
    const isClosed = index + 1 < parts.length
    const value = isClosed ? (Object.hasOwn(known, code) ? known[code] : hexText(code, charset)) : undefined
    if (value === undefined) {
      result += sign + code
    } else {
      result += value + (parts[index + 1] ?? '')
      index++
    }
  }
  return result
}

const hexText = (code: string, charset: Charset): string | undefined => {
  if (!/^X(?:[\da-f]{2})+$/i.test(code)) return undefined
  const text = decode(Buffer.from(code.slice(1), 'hex'), charset).replace(/\r\n?/g, '\n')
  return withoutControls(text)
}

/** Escapes the delimiters in a text, so that it can be a component. */
export const escapeText = (text: string, delimiters: Delimiters): string => {
  const { field, component, repetition, subcomponent, escape: escapeSign } = delimiters
  const codes: Record<string, string> = {
    [escapeSign]: 'E',
    [field]: 'F',
    [component]: 'S',
    [repetition]: 'R',
    [subcomponent]: 'T',
  }
  return [...text.replace(/\r\n?/g, '\n')]
    .map((sign) => {
      const code = sign === '\n' ? '.br' : codes[sign]
      return code === undefined ? sign : `${escapeSign}${code}${escapeSign}`
    })
    .join('')
}

/** The text in the character set of the message. */
export const encodeFor = ({ charset }: Pick<Hl7Message, 'charset'>, text: string): Buffer =>
  Buffer.from(text, charset === 'latin1' ? 'latin1' : 'utf8')
