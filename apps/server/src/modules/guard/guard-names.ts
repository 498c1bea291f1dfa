import type { FieldComparison } from '@lis/contract/batch-files.ts'
import { upperCaseWithoutAccents } from '../../platform/accents.ts'

/** Capital letters without accents and ligatures ('ﬁ'); line and cell separators stay. */
export const fold = (text: string): string => upperCaseWithoutAccents(text.normalize('NFKD'))

/** Words with single spaces between; an apostrophe joins, a hyphen separates. */
const wordsOf = (folded: string): string =>
  folded
    .replace(/['’`´]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const suffixes = ['JR', 'SR', 'II', 'III', 'IV']
const suffix = `(?: (?:${suffixes.join('|')}))?`

/** "O'Brien", "O Brien" and "OBrien" are one name; so are "Garcia-Lopez" and "Garcia Lopez". */
const loose = (name: string): string =>
  wordsOf(fold(name.replace(/['’`´]/g, ' ')))
    .split(' ')
    .filter((word) => !suffixes.includes(word))
    .join(' ?')

interface Person {
  firstName: string
  middleName: string | null
  lastName: string
}

const suffixOf = (words: string) => words.split(' ').find((word) => suffixes.includes(word)) ?? null

const titles = ['MR', 'MRS', 'MS', 'MISS', 'DR', 'PROF', 'REV', 'MSTR']
/** What may follow a name without being part of it. */
const besides = [...suffixes, ...titles, 'M', 'F', 'MALE', 'FEMALE', 'MD']
const ahead = [...titles, 'MASTER', 'PATIENT', 'PATIENTS', 'PT', 'NAME', 'FOR', 'OF', 'RE', 'DEAR']
/** 'Patient Name (Last, First, MI)'; alone, 'MI' may be somebody's first name. */
const hint = 'FIRST(?: MI| MIDDLE)?(?: LAST)?'
/** '0042' or 'A123'; a single digit among letters may be a letter that a scanner has misread. */
const code = '(?:\\p{N}|\\p{L}{1,4}\\p{N}{2})[^ ]*'
/** Where a name begins: any other word before it would make it a longer one, 'MARY ANN LEE' instead of 'ANN LEE'. */
const begin = `(?:^|(?:^| )(?:${ahead.join('|')}|${hint}|${code}) )`
const isPartOfName = (word: string | undefined) => word !== undefined && /^\p{L}/u.test(word)

/**
 * Whether the words name this person: 'LAST FIRST' or 'FIRST … LAST', with nothing before or after that would make it a longer name, and
 * without a different middle name.
 */
const namesPerson = (person: Person): ((words: string) => boolean) => {
  const [first, last] = [loose(person.firstName), loose(person.lastName)]
  if (!first || !last) return () => false
  const wanted = suffixOf(wordsOf(fold(person.lastName)))
  const middle = wordsOf(fold(person.middleName ?? ''))
  const isSameMiddle = (stated: string) => !middle || !stated || stated.startsWith(middle[0] as string)
  const firstLast = new RegExp(`${begin}${first}((?: \\p{L}+){0,2}?) ${last}(?= |$)`, 'u')
  const lastFirst = new RegExp(`${begin}${last}${suffix} ${first}(?= |$)`, 'u')

  return (words) => {
    const there = suffixOf(words)
    if (wanted && there && wanted !== there) return false
    const straight = firstLast.exec(words)
    if (straight) {
      const [next] = wordsAfter(words, straight)
      return !isPartOfName(next) && isSameMiddle((straight[1] ?? '').trim())
    }
    const turned = lastFirst.exec(words)
    if (!turned) return false
    const [stated, next] = wordsAfter(words, turned)
    if (!isPartOfName(stated)) return true
    return isSameMiddle(stated as string) && !isPartOfName(next)
  }
}

/** The words after the name, without titles, suffixes and the like. */
const wordsAfter = (words: string, found: RegExpExecArray): (string | undefined)[] => {
  const rest = words.slice(found.index + found[0].length).trim()
  return rest ? rest.split(' ').filter((word) => !besides.includes(word)) : []
}

const label =
  /(?:^|\t|\b)(?:PATIENT(?:'S)?(?: NAME)?|NAME OF PATIENT|PT\.?(?: NAME)?)\s*(?:\([^)\t]{0,40}\)\s*)?(?::|\t|$)/
const nextLabel =
  /\t|\b(?:D\.?O\.?B|DATE|BORN|BIRTH|SEX|GENDER|AGE|ID|MRN|PHONE|TEL|ADDRESS|REQ|REQUISITION|ACCESSION|CLIENT|PHYSICIAN|COLLECTED|RECEIVED|REPORTED|SPECIMEN|ROOM|FASTING)\b/

/** The names that the file labels as its patient's, one per label. */
export const statedNames = (lines: readonly string[]): string[] =>
  lines.flatMap((line, index) => {
    const found = label.exec(line)
    if (!found) return []
    const rest = line.slice(found.index + found[0].length)
    const value = rest.trim() ? rest : (lines[index + 1] ?? '')
    const name = wordsOf(value.trim().split(nextLabel)[0] ?? '')
    return name.split(' ').filter((word) => /^\p{L}{2,}$/u.test(word)).length >= 2 ? [name] : []
  })

/** 'PATIENT ANA RUIZ': most likely a label without its colon. Some sentences begin like this without a name. */
const patientOnly =
  /^(?:RE )?(?:PATIENT|PT) (?!(?:WAS|IS|HAS|HAD|NOT|FASTING|INFORMATION|INSTRUCTIONS?|STATUS|CARE|REPORT|COPY|HISTORY|PORTAL|SERVICES?|SUMMARY|DEMOGRAPHICS|DETAILS|DATA|TYPE|CLASS|NOTES?|COMMENTS?|RESULTS?|NAME|NO|NUMBER)\b)\p{L}{2,} \p{L}{2,}/u

/** A labelled name decides; only without one is all of the text searched. */
export const compareName = (
  lines: readonly string[],
  person: Person,
): { outcome: FieldComparison['outcome']; read: string | null } => {
  const isPerson = namesPerson(person)
  const stated = statedNames(lines)
  const other = stated.find((name) => !isPerson(name))
  if (other) return { outcome: 'mismatch', read: other }
  if (stated[0]) return { outcome: 'match', read: stated[0] }
  const cells = lines
    .flatMap((line) => line.split(nextLabel))
    .map(wordsOf)
    .filter((words) => words !== '')
  if (cells.some((words) => patientOnly.test(words) && !isPerson(words))) return { outcome: 'missing', read: null }
  const found = cells.find(isPerson)
  return found ? { outcome: 'match', read: shown(found) } : { outcome: 'missing', read: null }
}

const shown = (words: string) => (words.length > 60 ? `${words.slice(0, 60)}…` : words)
