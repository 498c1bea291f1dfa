import type { BillInsurance, BillPerson } from './bill-item.ts'
import { claimText } from './claim-text.ts'

const titles = new Set(['MR', 'MRS', 'MS', 'MISS', 'DR'])
const suffixes = new Set(['JR', 'SR', 'II', 'III', 'IV'])

interface ReadName {
  /** First name first, without title and suffix. */
  words: string[]
  /** How many words at the end a comma has said to be the last name. */
  lastLength: number | null
  suffix: string
}

/** A parent may bear the name of the child: another birth date is another person, and so is another suffix. */
export const isHeldBy = ({ policyHolder, insuredDob }: BillInsurance, patient: BillPerson): boolean => {
  if (insuredDob !== null && insuredDob !== patient.dob) return false
  if (!policyHolder?.trim()) return true
  const holder = readName(policyHolder)
  const own = readName(`${patient.lastName}, ${patient.firstName}`)
  if (own.suffix && holder.suffix && own.suffix !== holder.suffix) return false
  const [first, last] = [firstOf(own.words), joined(lastOf(own))]
  const isStraight = firstOf(holder.words) === first && endOf(holder.words, last) > 0
  return isStraight || isTurned(holder, first, last)
}

/** As a claim names who is insured. Where no comma parts the names, the last one is that of the patient, behind or ahead, or else one word. */
export const holderName = (insurance: BillInsurance, patient: BillPerson) => {
  if (isHeldBy(insurance, patient)) return { last: patient.lastName, first: patient.firstName, suffix: '' }
  const { words, lastLength, suffix } = readName(insurance.policyHolder ?? '')
  const family = joined(lastOf(readName(`${patient.lastName}, ${patient.firstName}`)))
  const atEnd = lastLength ?? endOf(words, family)
  const ahead = atEnd === 0 ? beginningOf(words, family) : 0
  if (ahead > 0) return { last: words.slice(0, ahead).join(' '), first: words.slice(ahead).join(' '), suffix }
  const count = atEnd || 1
  return { last: words.slice(-count).join(' '), first: words.slice(0, -count).join(' '), suffix }
}

/** 'Doe, Jane', 'Jane Doe', 'Mr. John Smith Jr.' or 'Smith, Jr., John'. */
const readName = (name: string): ReadName => {
  const [before = [], ...behind] = name.split(',').map((part) => part.split(/\s+/).filter(Boolean))
  const rest = behind.flat()
  const suffix = [...before.slice(1), ...rest].find(isSuffix)
  const last = withoutTitle(before.filter((word, index) => index === 0 || !isSuffix(word)))
  const given = withoutTitle(rest.filter((word) => !isSuffix(word)))
  return {
    words: [...given, ...last],
    lastLength: given.length > 0 && last.length > 0 ? last.length : null,
    suffix: suffix === undefined ? '' : bare(suffix),
  }
}

/** "O'Brien" and 'OBrien' are one name, and so are 'Garcia-Lopez' and 'Garcia Lopez' once they are joined. */
const bare = (word: string) => claimText(word).replace(/[^A-Z0-9]/g, '')
const joined = (words: readonly string[]) => words.map(bare).join('')
const isSuffix = (word: string) => suffixes.has(bare(word))
const withoutTitle = (words: string[]) =>
  words.length > 1 && titles.has(bare(words[0] ?? '')) ? words.slice(1) : words
/** Of 'Mary Ann' and 'Mary-Ann' the first alone is compared: the second is often left out. */
const firstOf = ([word = '']: readonly string[]) => bare(word.split('-')[0] ?? '')
const lastOf = ({ words, lastLength }: ReadName) => words.slice(-(lastLength ?? 1))

/** How many words behind the first are this last name; 0 when they are another one. */
const endOf = (words: readonly string[], last: string): number => {
  const start = words.findIndex((_, index) => index > 0 && joined(words.slice(index)) === last)
  return start === -1 ? 0 : words.length - start
}

/** How many words at the beginning, with others behind, are this last name; 0 when they are another one. */
const beginningOf = (words: readonly string[], last: string): number =>
  Math.max(
    0,
    words.findLastIndex((_, index) => index > 0 && joined(words.slice(0, index)) === last),
  )

/** 'Doe Jane': as on many cards, without a comma. */
const isTurned = ({ words, lastLength }: ReadName, first: string, last: string) => {
  const count = lastLength === null ? beginningOf(words, last) : 0
  return count > 0 && firstOf(words.slice(count)) === first
}
