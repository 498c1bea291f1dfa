import { parseDate } from '@lis/contract/kit/date-range.ts'
import type { ScanFieldName } from '@lis/contract/requisition-scans.ts'
import type { Word } from '../../platform/ocr/text-reader.ts'

/** A label and the text to its right, as read. */
export interface FoundValue {
  name: ScanFieldName
  text: string
  confidence: number
  left: number
  top: number
  right: number
  bottom: number
}

/** Longer labels first: 'First Name' is not a name of something else. */
const labels: readonly [label: string, name: ScanFieldName][] = [
  ['external order id', 'extOrderId'],
  ['time collected', 'timeCollected'],
  ['date collected', 'dateCollected'],
  ['date of birth', 'patientDob'],
  ['first name', 'patientFirstName'],
  ['last name', 'patientLastName'],
  ['physician', 'physicianName'],
  ['client', 'clientName'],
  ['gender', 'patientGenderCode'],
  ['tests', 'testCodes'],
]
const longestLabel = 3

/** Every label on the page with its value: the words to its right on the same line, up to the next label. */
export const findValues = (words: readonly Word[]): FoundValue[] => linesOf(words).flatMap(valuesOfLine)

/** Words that overlap in height by half are on one line. */
const linesOf = (words: readonly Word[]): Word[][] => {
  const lines: Word[][] = []
  for (const word of [...words].sort((one, other) => middleOf(one) - middleOf(other))) {
    const line = lines.find((known) => known.some((other) => overlap(word, other) > 0.5))
    if (line) line.push(word)
    else lines.push([word])
  }
  for (const line of lines) line.sort((one, other) => one.left - other.left)
  return lines
}

const middleOf = ({ top, bottom }: Word) => (top + bottom) / 2
const overlap = (one: Word, other: Word) =>
  (Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)) /
  Math.min(one.bottom - one.top, other.bottom - other.top)

const valuesOfLine = (line: readonly Word[]): FoundValue[] => {
  const marks = marksOf(line)
  return marks.flatMap((mark, index) => {
    const words = line
      .slice(mark.end, marks[index + 1]?.start ?? line.length)
      .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    const [first] = words
    if (!first) return []
    return [
      {
        name: mark.name,
        text: words
          .map(({ text }) => text)
          .join(' ')
          .replace(/^[:.\-–—|_\s]+|[|_\s]+$/g, ''),
        confidence: Math.min(...words.map(({ confidence }) => confidence), mark.isExact ? 1 : 0.6),
        left: first.left,
        right: Math.max(...words.map(({ right }) => right)),
        top: Math.min(...words.map(({ top }) => top)),
        bottom: Math.max(...words.map(({ bottom }) => bottom)),
      },
    ]
  })
}

interface Mark {
  name: ScanFieldName
  start: number
  end: number
  isExact: boolean
}

/** The labels of a line. One inside a line needs a colon or a wide gap before it, or it is part of a value. */
const marksOf = (line: readonly Word[]): Mark[] => {
  const marks: Mark[] = []
  for (let start = 0; start < line.length; start++) {
    const mark = markAt(line, start)
    if (!mark) continue
    marks.push(mark)
    start = mark.end - 1
  }
  return marks
}

const markAt = (line: readonly Word[], start: number): Mark | undefined => {
  for (let count = Math.min(longestLabel, line.length - start); count > 0; count--) {
    const words = line.slice(start, start + count)
    // The text after a colon is the value.
    if (words.slice(0, -1).some((word) => word.text.includes(':'))) continue
    const text = words.map((word) => word.text).join(' ')
    const [label] = /^[^:]*/.exec(text) as RegExpExecArray
    const plain = plainOf(label, start === 0)
    const found = labels.find(([known]) => known === plain) ?? labels.find(([known]) => isAlmost(known, plain))
    if (!found) continue
    const before = line[start - 1]
    const first = words[0] as Word
    const isApart = !before || first.left - before.right > 1.2 * (first.bottom - first.top)
    if (!isApart && !text.includes(':')) continue
    return { name: found[1], start, end: start + count, isExact: found[0] === plain }
  }
  return undefined
}

/** Digits are part of a value, such as a date before the next label; only at the beginning of a line they may number the label. */
const plainOf = (label: string, isFirst: boolean) => {
  const plain = label.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, '')
  return (isFirst ? plain.replace(/^\d+ /, '') : plain).trim()
}

/** One letter misread in a label of six or more. */
const isAlmost = (known: string, read: string) => {
  if (known.length < 6 || Math.abs(known.length - read.length) > 1) return false
  let row = Array.from({ length: read.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...known].entries()) {
    const next = [index + 1]
    for (const [at, other] of [...read].entries())
      next.push(
        Math.min(
          (row[at + 1] as number) + 1,
          (next[at] as number) + 1,
          (row[at] as number) + (letter === other ? 0 : 1),
        ),
      )
    row = next
  }
  return (row.at(-1) as number) <= 1
}

/** A value in the format of the form; undefined if it does not look like one. */
export const readValue = (name: ScanFieldName, text: string, today: string): string | undefined => {
  const clean = text.replace(/\s+/g, ' ').trim()
  if (clean === '') return undefined
  const read = readers[name]
  return read ? read(clean, today) : clean
}

const readDay = (text: string, today: string) => {
  const compact = text.replace(/\s/g, '')
  const [, month = '', day = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{2})$/.exec(compact) ?? []
  const days = year
    ? [`20${year}`, `19${year}`].map((whole) => `${month}/${day}/${whole}`)
    : [compact.replace(/[.-]/g, (mark) => (/^\d{4}/.test(compact) ? '-' : mark === '.' ? '/' : '/'))]
  return days.map((one) => parseDate(one)).find((found) => found !== undefined && found <= today)
}

const readTime = (text: string) => {
  const [, hours = '', minutes = '', half = ''] = /^(\d{1,2})[:.](\d{2})\s*([ap])?\.?\s*(?:m\.?)?$/i.exec(text) ?? []
  const hour = Number(hours)
  if (hours === '' || hour > 23 || Number(minutes) > 59 || (half !== '' && (hour < 1 || hour > 12))) return undefined
  const isPm = half.toLowerCase() === 'p'
  const whole = half === '' ? hour : (hour % 12) + (isPm ? 12 : 0)
  return `${String(whole).padStart(2, '0')}:${minutes}`
}

const readGender = (text: string) => {
  if (/^(?:f|female)$/i.test(text)) return 'FEMALE'
  return /^(?:m|male)$/i.test(text) ? 'MALE' : undefined
}

const readCodes = (text: string) => {
  const codes = text
    .split(/[,;]\s*|\s+/)
    .map((code) => code.toUpperCase())
    .filter(Boolean)
  return codes.every((code) => /^[A-Z0-9][A-Z0-9_./-]*$/.test(code)) ? codes.join(', ') : undefined
}

const readName = (text: string) => (/^[\p{L}][\p{L}\p{M}'’. -]*$/u.test(text) ? text : undefined)

const readers: Partial<Record<ScanFieldName, (text: string, today: string) => string | undefined>> = {
  patientDob: readDay,
  dateCollected: readDay,
  timeCollected: readTime,
  patientGenderCode: readGender,
  testCodes: readCodes,
  patientFirstName: readName,
  patientLastName: readName,
  extOrderId: (text) => (text.length <= 50 ? text.replace(/\s/g, '') : undefined),
}
