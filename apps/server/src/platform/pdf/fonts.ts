import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Face {
  characterSet: number[]
  hasGlyphForCodePoint: (codePoint: number) => boolean
  glyphForCodePoint: (codePoint: number) => unknown
}

const load = createRequire(import.meta.url)
// pdfkit's own reader of fonts; it brings no types.
const { create } = load('fontkit') as { create: (bytes: Buffer) => Face }

/** Read once: to read a font takes longer than to draw a report. Only what a text uses of it goes into a file. */
const faceFrom = (file: string) => {
  let face: Face | undefined
  return () => {
    if (face) return face
    face = create(readFileSync(load.resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`)))
    // Each glyph remembers the letter it was first asked for; else one that is part of others has none when text is copied from the file.
    for (const codePoint of face.characterSet) face.glyphForCodePoint(codePoint)
    return face
  }
}
const plainFace = faceFrom('DejaVuSansCondensed')
const boldFace = faceFrom('DejaVuSansCondensed-Bold')

// What the fonts inside every PDF reader can draw; they cost nothing, and most texts need no more.
const western = /^[\x20-\x7e\xa0-\xff–—‘’“”•…€\n]*$/
/** Whether a printable text needs no more than the fonts inside every PDF reader. */
export const isWestern = (text: string) => western.test(text)
// Written from left to right, letter after letter. Other scripts need more than a font to come out right.
const simpleScript =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]$/u
const turnsDirection = /[\u061c\u202a-\u202e\u2066-\u2069]/

const isPrintable = (char: string) =>
  isWestern(char) ||
  (simpleScript.test(char) &&
    !turnsDirection.test(char) &&
    plainFace().hasGlyphForCodePoint(char.codePointAt(0) as number))

/** The same text in the letters' usual form; what nobody sees is left out. */
const tidy = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\t\u2000-\u200a\u202f\u205f]/g, ' ')
    .replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, '')
    .replaceAll('≤', '<=')
    .replaceAll('≥', '>=')

/** The letters of a text that cannot be printed, each once. A document that must be right is refused for them. */
export const findUnprintable = (text: string): string[] => [
  ...new Set(Array.from(tidy(text)).filter((char) => !isPrintable(char))),
]

/** Stands for a letter that cannot be printed, where a document is needed all the same: it cannot be taken for a letter. */
export const missingCharacter = '□'

/** The text as it is printed. No letter becomes another one. */
export const toPrintable = (text: string): string => {
  const tidied = tidy(text)
  if (isWestern(tidied)) return tidied
  return Array.from(tidied, (char) => (isPrintable(char) ? char : missingCharacter)).join('')
}

/** Chooses the font that has the letters of this printable text. */
export const chooseFont = (page: PDFKit.PDFDocument, text: string, isBold = false) => {
  if (isWestern(text)) return page.font(isBold ? 'Helvetica-Bold' : 'Helvetica')
  const name = isBold ? 'DejaVuBold' : 'DejaVu'
  // pdfkit takes a font that has been read, which its types do not say.
  page.registerFont(name, (isBold ? boldFace() : plainFace()) as unknown as string)
  return page.font(name)
}

/** Keeps the letters of both fonts on one line: DejaVu leaves more room above its letters, and would stand lower. */
export const baselineOf = (size: number) => ({ baseline: -0.718 * size })
