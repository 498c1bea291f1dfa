import { messages } from './messages.ts'

interface Range {
  pattern: RegExp
  from: number
  to: number
  message: string
}

/** Old ICD-9 numbers. Only the part before the dot is compared, so E80.0 is fine and V01.5 is not (BLG-G5). */
const closedRanges: readonly Range[] = [
  { pattern: /^E([0-9]{3})(?![0-9])/, from: 800, to: 999, message: messages.icdRangeE },
  { pattern: /^V([0-9]{2})(?![0-9])/, from: 1, to: 82, message: messages.icdRangeV },
  { pattern: /^M([0-9]{4})(?![0-9])/, from: 8000, to: 9970, message: messages.icdRangeM },
]

export const normalizeIcdCode = (text: string) => text.trim().toUpperCase()

/** The format error of a code, or null. */
export const icdFormatError = (text: string): string | null => {
  const code = normalizeIcdCode(text)
  if (code === '') return messages.icdRequired
  if (!/^[A-Z]/.test(code)) return messages.icdStart
  if (!/[A-Z0-9]$/.test(code)) return messages.icdEnd
  if (!/^[A-Z0-9.]*$/.test(code)) return messages.invalid('ICD Code')
  return code.length > 20 ? messages.tooLong('ICD Code', 20) : null
}

/** The error for a code of a closed range; checked only for codes that are not in the ICD list, with or without their dot. */
export const icdRangeError = (text: string): string | null => {
  const [bare = ''] = normalizeIcdCode(text).split('.')
  const range = closedRanges.find(({ pattern, from, to }) => {
    const number = Number(pattern.exec(bare)?.[1] ?? Number.NaN)
    return number >= from && number <= to
  })
  return range?.message ?? null
}

/** A letter, a digit, a digit or letter, and up to four more after an optional dot. */
const icd10 = /^[A-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?$/

/** Whether a custom code has the format of an ICD-10 code. The specification allows others, so those need confirmation. */
export const isIcd10Shape = (text: string) => icd10.test(normalizeIcdCode(text))
