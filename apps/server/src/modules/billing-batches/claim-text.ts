import { plainCapitals } from '../../platform/plain-letters.ts'

const capitals = (text: string | null): string =>
  plainCapitals((text ?? '').replace(/[‘’ʻʼ`´]/g, "'").replace(/[‐-―]/g, '-'))

/** Capitals of the basic character set; what separates elements can never stand in one. */
export const claimText = (text: string | null): string =>
  capitals(text)
    .replace(/[^A-Z0-9 !"&'()+,\-./;?=%@_#$]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The characters that would be replaced, each once. */
export const unsupportedCharacters = (text: string): string =>
  [...new Set(text.match(/[^A-Za-z0-9 !"&'()+,\-./;?=%@_#$]/g))].join(' ')

/** Addresses there are written without their country. */
export const homeCountry = 'US'

/** Whether a letter or digit would be lost, as those of other alphabets are. */
export const hasUnsupportedLetters = (text: string): boolean => /(?![A-Z0-9])[\p{L}\p{N}]/u.test(capitals(text))

/** What a claim has of a ZIP. */
export const claimZip = (zip: string | null): string => claimText(zip).replace(/[^0-9A-Z]/g, '')
