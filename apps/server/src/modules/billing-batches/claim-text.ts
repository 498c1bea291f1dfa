import { upperCaseWithoutAccents } from '../../platform/accents.ts'

const capitals = (text: string | null): string =>
  upperCaseWithoutAccents((text ?? '').replace(/[‘’ʻʼ`´]/g, "'").replace(/[‐-―]/g, '-'))

/** In the basic character set, in capitals; separators of elements are replaced. */
export const claimText = (text: string | null): string =>
  capitals(text)
    .replace(/[^A-Z0-9 !"&'()+,\-./;?=%@_#$]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The characters that `claimText` would replace, each once. */
export const unsupportedCharacters = (text: string): string =>
  [...new Set(text.match(/[^A-Za-z0-9 !"&'()+,\-./;?=%@_#$]/g))].join(' ')

/** Its addresses are written without the country. */
export const homeCountry = 'US'

/** Letters and digits of other alphabets would be lost. */
export const hasUnsupportedLetters = (text: string): boolean => /(?![A-Z0-9])[\p{L}\p{N}]/u.test(capitals(text))

/** A ZIP code as claims write it. */
export const claimZip = (zip: string | null): string => claimText(zip).replace(/[^0-9A-Z]/g, '')
