import type { Sex } from '@lis/contract/results/rules.ts'
import { femaleNames, lastNames, maleNames, streetKinds, streetNames } from './names.ts'
import type { Place } from './places.ts'
import type { Random } from './random.ts'

export interface PersonName {
  first: string
  middle: string | null
  last: string
}

export const personName = (random: Random, sex: Sex): PersonName => ({
  first: random.pick(sex === 'MALE' ? maleNames : femaleNames),
  middle: random.chance(0.35) ? ('ABCDEFGHJKLMNPRSTW'[random.int(0, 17)] as string) : null,
  last: random.pick(lastNames),
})

/** What an e-mail address or an object key may contain: plain lower-case letters. */
export const plainLetters = (text: string): string =>
  text
    .replace(/ß/g, 'ss')
    .replace(/[øØ]/g, 'o')
    .normalize('NFD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()

/** example.com is reserved for examples: nothing sent there reaches anybody. */
export const emailOf = (name: PersonName, domain = 'example.com'): string =>
  `${plainLetters(name.first)}.${plainLetters(name.last)}@${domain}`

/** Digits with country code. 555-0100 to 555-0199 are set aside for fiction. */
export const phoneNumber = (random: Random, area: string): string => `1${area}55501${random.digits(2)}`

export const streetAddress = (random: Random): string =>
  `${random.int(1, 9800)} ${random.chance(0.3) ? `${random.pick(['N', 'S', 'E', 'W'])} ` : ''}${random.pick(streetNames)} ${random.pick(streetKinds)}`

/** Near the place, in the same postal area. */
export const nearbyZip = (random: Random, place: Place): string =>
  place.country === 'US' ? `${place.zip.slice(0, 3)}${random.digits(2)}` : place.zip

/** Ten digits; the last one is the Luhn check digit over 80840 and the first nine. */
export const npiNumber = (nineDigits: string, isValid = true): string => {
  let sum = 0
  const digits = `80840${nineDigits}`
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  const check = (10 - (sum % 10)) % 10
  return `${nineDigits}${isValid ? check : (check + 3) % 10}`
}
