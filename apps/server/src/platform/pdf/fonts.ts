import { faceOf, isUsual, regionOf } from './faces.ts'

/** Normalizes the text and removes invisible characters. */
export const normalize = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\t\u2000-\u200a\u202f\u205f]/g, ' ')
    .replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, '')

const isPrintable = (char: string, region: ReturnType<typeof regionOf>) =>
  char === '\n' || faceOf(char, false, region) !== null

/** The characters of a text that no font has, each once. A document that has one is refused. */
export const findUnprintable = (text: string): string[] => {
  const normalized = normalize(text)
  if (isUsual(normalized)) return []
  const region = regionOf(normalized)
  return [...new Set(Array.from(normalized).filter((char) => !isPrintable(char, region)))]
}

/** Replaces a character that cannot be printed; it cannot be mistaken for a letter. */
export const missingCharacter = '□'

/** The text as it is printed where it may have gaps. No character becomes another letter. */
export const toPrintable = (text: string): string => {
  const normalized = normalize(text)
  if (isUsual(normalized)) return normalized
  const region = regionOf(normalized)
  return Array.from(normalized, (char) => (isPrintable(char, region) ? char : missingCharacter)).join('')
}
