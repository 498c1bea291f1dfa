import type { BillInsurance, BillPerson } from './bill-item.ts'
import { claimText } from './claim-text.ts'

const titles = new Set(['MR', 'MRS', 'MS', 'MISS', 'DR'])
const suffixes = new Set(['JR', 'SR', 'II', 'III', 'IV'])

interface ParsedName {
  /** First name first, without title and suffix. */
  words: string[]
  /** The number of words of the last name, if a comma separates it. */
  lastLength: number | null
  suffix: string
}

/** Parent and child may have the same name: another birth date or suffix means another person. */
export const isHeldBy = ({ policyHolder, insuredDob }: BillInsurance, patient: BillPerson): boolean => {
  if (insuredDob !== null && insuredDob !== patient.dob) return false
  if (!policyHolder?.trim()) return true
  const holder = parseName(policyHolder)
  const own = parseName(`${patient.lastName}, ${patient.firstName}`)
  if (own.suffix && holder.suffix && own.suffix !== holder.suffix) return false
  const [first, last] = [firstOf(own.words), joined(lastOf(own))]
  const isFirstNameFirst = firstOf(holder.words) === first && countLastNameAtEnd(holder.words, last) > 0
  return isFirstNameFirst || isLastNameFirst(holder, first, last)
}

/** The name of the insured for a claim. Without a comma, the last name is the patient's (at the end or start) or else one word. */
export const holderName = (insurance: BillInsurance, patient: BillPerson) => {
  if (isHeldBy(insurance, patient)) return { last: patient.lastName, first: patient.firstName, suffix: '' }
  const { words, lastLength, suffix } = parseName(insurance.policyHolder ?? '')
  const family = joined(lastOf(parseName(`${patient.lastName}, ${patient.firstName}`)))
  const atEnd = lastLength ?? countLastNameAtEnd(words, family)
  const atStart = atEnd === 0 ? countLastNameAtStart(words, family) : 0
  if (atStart > 0) return { last: words.slice(0, atStart).join(' '), first: words.slice(atStart).join(' '), suffix }
  const count = atEnd || 1
  return { last: words.slice(-count).join(' '), first: words.slice(0, -count).join(' '), suffix }
}

/** 'Doe, Jane', 'Jane Doe', 'Mr. John Smith Jr.' or 'Smith, Jr., John'. */
const parseName = (name: string): ParsedName => {
  const [before = [], ...behind] = name.split(',').map((part) => part.split(/\s+/).filter(Boolean))
  const rest = behind.flat()
  const suffix = [...before.slice(1), ...rest].find(isSuffix)
  const last = withoutTitle(before.filter((word, index) => index === 0 || !isSuffix(word)))
  const given = withoutTitle(rest.filter((word) => !isSuffix(word)))
  return {
    words: [...given, ...last],
    lastLength: given.length > 0 && last.length > 0 ? last.length : null,
    suffix: suffix === undefined ? '' : normalize(suffix),
  }
}

/** "O'Brien" equals 'OBrien', and 'Garcia-Lopez' equals 'Garcia Lopez'. */
const normalize = (word: string) => claimText(word).replace(/[^A-Z0-9]/g, '')
const joined = (words: readonly string[]) => words.map(normalize).join('')
const isSuffix = (word: string) => suffixes.has(normalize(word))
const withoutTitle = (words: string[]) =>
  words.length > 1 && titles.has(normalize(words[0] ?? '')) ? words.slice(1) : words
/** Of 'Mary Ann' and 'Mary-Ann' only the first is compared, because the second is often omitted. */
const firstOf = ([word = '']: readonly string[]) => normalize(word.split('-')[0] ?? '')
const lastOf = ({ words, lastLength }: ParsedName) => words.slice(-(lastLength ?? 1))

/** How many words at the end, after at least one other, are this last name; 0 if none. */
const countLastNameAtEnd = (words: readonly string[], last: string): number => {
  const start = words.findIndex((_, index) => index > 0 && joined(words.slice(index)) === last)
  return start === -1 ? 0 : words.length - start
}

/** How many words at the start, before at least one other, are this last name; 0 if none. */
const countLastNameAtStart = (words: readonly string[], last: string): number =>
  Math.max(
    0,
    words.findLastIndex((_, index) => index > 0 && joined(words.slice(0, index)) === last),
  )

/** 'Doe Jane', without a comma, as on many cards. */
const isLastNameFirst = ({ words, lastLength }: ParsedName, first: string, last: string) => {
  const count = lastLength === null ? countLastNameAtStart(words, last) : 0
  return count > 0 && firstOf(words.slice(count)) === first
}
