import { upperCaseWithoutAccents } from '../accents.ts'

const words: Record<string, string> = { saint: 'st', sainte: 'ste', mount: 'mt', fort: 'ft', north: 'n', south: 's' }

const plainWords = (name: string): string[] =>
  upperCaseWithoutAccents(name)
    .toLowerCase()
    .replace(/['’`.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Normalizes the name of a place: without case, accents, dots and hyphens; 'Saint' and 'St.' are the same. */
export const plainName = (name: string): string =>
  plainWords(name)
    .map((word) => words[word] ?? word)
    .join('')

const kinds = new Set('state province region district department prefecture oblast krai of the'.split(' '))

/** Like plainName for states and provinces, without words such as 'Province of' that some lists add. */
export const regionKey = (name: string): string =>
  plainWords(name)
    .filter((word) => !kinds.has(word))
    .join('')
