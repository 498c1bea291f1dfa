import { isIsoDate } from '@lis/contract/kit/date-range.ts'

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const month = '(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*\\.?'
const iso = (year: string, monthNo: number, day: string) =>
  `${year}-${String(monthNo).padStart(2, '0')}-${day.padStart(2, '0')}`
const monthNo = (name: string) => months.indexOf(name.slice(0, 3)) + 1

/** The date formats that are read. Years of two digits are not: 26 may mean 1926 or 2026. */
const spellings: [RegExp, (parts: string[]) => string][] = [
  [/(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/g, ([y = '', m = '', d = '']) => iso(y, Number(m), d)],
  [/(?<!\d)(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?!\d)/g, ([m = '', d = '', y = '']) => iso(y, Number(m), d)],
  [
    new RegExp(`(?<!\\d)(\\d{1,2})[ .-]?${month}[ ,.-]*(\\d{4})(?!\\d)`, 'g'),
    ([d = '', m = '', y = '']) => iso(y, monthNo(m), d),
  ],
  [
    new RegExp(`\\b${month}[ .-]?(\\d{1,2})(?:ST|ND|RD|TH)?[ ,.-]+(\\d{4})(?!\\d)`, 'g'),
    ([m = '', d = '', y = '']) => iso(y, monthNo(m), d),
  ],
]

/** All dates of a folded line, as ISO. */
export const datesIn = (line: string): string[] =>
  spellings
    .flatMap(([pattern, read]) => [...line.matchAll(pattern)].map((match) => read(match.slice(1) as string[])))
    .filter(isIsoDate)

const birth = /\b(?:D\.?\s?O\.?\s?B\b\.?|DATE OF BIRTH|BIRTH ?DATE|BORN|BIRTH)/g
const reach = 40

/** The dates that the file labels as a date of birth: after the label, or under it in a table. */
export const labelledDates = (lines: readonly string[]): string[] => {
  // Cached per text: a page may contain many labels.
  const read = new Map<string, string[]>()
  const datesOf = (text: string): string[] => {
    const known = read.get(text) ?? (/\d/.test(text) ? datesIn(text) : [])
    read.set(text, known)
    return known
  }
  return lines.flatMap((line, index) =>
    [...line.matchAll(birth)].flatMap((match) => {
      const end = match.index + match[0].length
      const [first] = datesOf(line.slice(end, end + reach))
      if (first) return [first]
      const found = datesOf(lines[index + 1] ?? '')
      return found.length === 1 ? found : []
    }),
  )
}
