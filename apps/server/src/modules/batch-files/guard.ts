import type { BatchType, Compared } from '@lis/contract/batch-files.ts'
import { datesIn, labelledDates } from './guard-dates.ts'
import { fold, nameOutcome, statedNames } from './guard-names.ts'
import type { FileContent } from './reading/read-content.ts'

/** The record a file would be filed under. */
export interface GuardRecord {
  reqId: number
  firstName: string
  middleName: string | null
  lastName: string
  /** ISO. */
  dob: string
  /** The same order as others number it. */
  extIds: readonly string[]
}

export interface Judgement {
  compared: Compared[]
  isMatch: boolean
  isContradicted: boolean
}

/** Every number in the file that could be a requisition's; the caller finds out which of them exist. */
export const numbersIn = ({ lines, barCodes }: FileContent): number[] => {
  const found = new Set<number>()
  for (const text of [...lines, ...barCodes])
    for (const [digits] of text.matchAll(/(?<![\d.,/-])\d{5,12}(?![\d,/]|\.\d)/g)) found.add(Number(digits))
  return [...found]
}

// Few spaces at a time, never any number: runs of them next to each other would be tried in every division.
const stated = /\bREQ(?:UISITION)?\b\.?\s{0,3}(?:ID|NO|NUMBER|NBR|NUM)?\b\.?\s{0,3}[:#]?\s{0,3}#?\s{0,3}(\d{4,12})\b/g

/**
 * Compares a file with the record it would be filed under. All three must be found and agree for a match; one that disagrees is a
 * contradiction, and so is any other requisition that the file names.
 */
export const judge = (content: FileContent, record: GuardRecord, known: ReadonlySet<number>): Judgement => {
  const lines = content.lines.map(fold)
  const compared = [numberOf(content, lines, record, known), nameOf(lines, record), dobOf(lines, record)]
  return {
    compared,
    isMatch: compared.every(({ outcome }) => outcome === 'match'),
    isContradicted: compared.some(({ outcome }) => outcome === 'mismatch'),
  }
}

/** Reports need proof. A scan of paper seldom has text, so there the name of the file holds unless the content contradicts it. */
export const mayBeFiled = (type: BatchType, { isMatch, isContradicted }: Judgement): boolean =>
  type === 'REPORT' ? isMatch : !isContradicted

/** What a file says of itself, for the desk, when there is no record to compare it with. */
export const readAlone = (content: FileContent, known: ReadonlySet<number>): Compared[] => {
  const lines = content.lines.map(fold)
  const numbers = numbersIn(content).filter((number) => known.has(number))
  const dates = labelledDates(lines)
  const side = (field: Compared['field'], read: string | null): Compared => ({
    field,
    read: read || null,
    record: null,
    outcome: 'missing',
  })
  return [
    side('reqId', numbers.map((number) => `#${number}`).join(', ')),
    side('patientName', statedNames(lines).join(' | ')),
    side('patientDob', [...new Set(dates)].map(usDate).join(', ')),
  ]
}

const numberOf = (
  content: FileContent,
  lines: readonly string[],
  { reqId, extIds }: GuardRecord,
  known: ReadonlySet<number>,
): Compared => {
  const all = numbersIn(content)
  const labelled = lines.flatMap((line) => [...line.matchAll(stated)].map((match) => match[1] as string))
  const isOurs = (text: string) => Number(text) === reqId || extIds.includes(text)
  const others = [
    ...labelled.filter((text) => !isOurs(text)).map(Number),
    ...all.filter((number) => number !== reqId && known.has(number)),
  ]
  const record = `#${reqId}`
  const named = [...new Set(others)]
  if (named.length > 0) {
    const shown = all.includes(reqId) ? [reqId, ...named] : named
    return { field: 'reqId', read: shown.map((number) => `#${number}`).join(', '), record, outcome: 'mismatch' }
  }
  const isThere = all.includes(reqId)
  return { field: 'reqId', read: isThere ? record : null, record, outcome: isThere ? 'match' : 'missing' }
}

const nameOf = (lines: readonly string[], record: GuardRecord): Compared => {
  const { outcome, read } = nameOutcome(lines, record)
  const middle = record.middleName ? ` ${record.middleName}` : ''
  return { field: 'patientName', read, record: `${record.lastName}, ${record.firstName}${middle}`, outcome }
}

const dobOf = (lines: readonly string[], { dob }: GuardRecord): Compared => {
  const record = usDate(dob)
  const labelled = labelledDates(lines)
  const other = labelled.find((date) => date !== dob)
  if (other) return { field: 'patientDob', read: usDate(other), record, outcome: 'mismatch' }
  const isThere = labelled.length > 0 || lines.some((line) => datesIn(line).includes(dob))
  return { field: 'patientDob', read: isThere ? record : null, record, outcome: isThere ? 'match' : 'missing' }
}

export const usDate = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`
