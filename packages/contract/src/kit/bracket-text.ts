import { isDateRangeText } from './date-range.ts'

/**
 * The bracket notation of filters: `[name:value,name:value]`, or the same in braces. A value is bare text, a JSON
 * string in double quotes, a list `[a,b]`, or a date range '[MM/DD/YYYY-MM/DD/YYYY]', which stays one text.
 */
export type BracketValue = string | string[]

/** Throws a SyntaxError that says what is wrong and where. Reads left to right in one pass. */
export const parseBracketText = (text: string): [name: string, value: BracketValue][] => {
  const source = text.trim()
  const close = source.startsWith('[') ? ']' : source.startsWith('{') ? '}' : fail('must start with [ or {')
  const cursor: Cursor = { source, at: 1 }
  const entries: [string, BracketValue][] = []
  skipSpace(cursor)
  if (!take(cursor, close)) {
    do entries.push(readEntry(cursor))
    while (take(cursor, ','))
    if (!take(cursor, close)) fail(`expected , or ${close} ${where(cursor)}`)
  }
  if (cursor.at < source.length) fail(`unexpected text ${where(cursor)}`)
  return entries
}

/** The inverse of `parseBracketText`. */
export const formatBracketText = (entries: readonly (readonly [name: string, value: BracketValue])[]): string =>
  `[${entries.map(([name, value]) => `${printText(name)}:${printValue(value)}`).join(',')}]`

/** Needs no quotes. Half a surrogate pair cannot be URL-encoded; JSON can escape it. */
export const isPlainText = (text: string) =>
  text !== '' && text === text.trim() && !/[,:[\]{}"]/.test(text) && text.isWellFormed()

const printText = (text: string) => (isPlainText(text) ? text : JSON.stringify(text))
const printValue = (value: BracketValue) => {
  if (Array.isArray(value)) return `[${value.map(printItem).join(',')}]`
  return isDateRangeText(value) ? value : printText(value)
}
// A list whose only item looks like the inside of a date range would read back as a range.
const printItem = (item: string) => (isDateRangeText(`[${item}]`) ? JSON.stringify(item) : printText(item))

interface Cursor {
  source: string
  at: number
}

const bareName = /[^,:[\]{}"]+/y
// A bare value may hold a colon (10:30): only the first one separates name and value.
const bareValue = /[^,[\]{}"]+/y
const quotedText = /"(?:[^"\\]|\\.)*"/sy
const rangeText = /\[[\d/]{10}-[\d/]{10}\]/y
const space = /\s*/y

const readEntry = (cursor: Cursor): [string, BracketValue] => {
  const name = readText(cursor, bareName, 'a field name')
  if (!take(cursor, ':')) {
    fail(`${JSON.stringify(name)} has no value (text with a comma needs double quotes, a list needs [ ])`)
  }
  return [name, readValue(cursor, name)]
}

const readValue = (cursor: Cursor, name: string): BracketValue => {
  skipSpace(cursor)
  const range = match(cursor, rangeText)
  if (range !== undefined && isDateRangeText(range)) {
    advance(cursor, range)
    return range
  }
  const what = `a value for ${JSON.stringify(name)}`
  if (!take(cursor, '[')) return readText(cursor, bareValue, what)
  const items: string[] = []
  if (take(cursor, ']')) return items
  do items.push(readText(cursor, bareValue, what))
  while (take(cursor, ','))
  if (!take(cursor, ']')) fail(`the list of ${JSON.stringify(name)} is not closed ${where(cursor)}`)
  return items
}

const readText = (cursor: Cursor, bare: RegExp, what: string): string => {
  skipSpace(cursor)
  const quoted = match(cursor, quotedText)
  const found = quoted ?? match(cursor, bare) ?? fail(`expected ${what} ${where(cursor)}`)
  const text = quoted === undefined ? found.trim() : unquote(quoted)
  if (quoted === undefined && text === '') fail(`expected ${what} ${where(cursor)}`)
  advance(cursor, found)
  return text
}

const unquote = (quoted: string): string => {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return fail(`${quoted} is not a JSON text`)
  }
}

const match = ({ source, at }: Cursor, pattern: RegExp): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}
const advance = (cursor: Cursor, text: string) => {
  cursor.at += text.length
  skipSpace(cursor)
}
const skipSpace = (cursor: Cursor) => {
  cursor.at += match(cursor, space)?.length ?? 0
}
const take = (cursor: Cursor, token: string): boolean => {
  if (!cursor.source.startsWith(token, cursor.at)) return false
  advance(cursor, token)
  return true
}
const where = ({ source, at }: Cursor) =>
  at < source.length ? `at ${JSON.stringify(source.slice(at, at + 20))}` : 'at the end'
const fail = (message: string): never => {
  throw new SyntaxError(message)
}
