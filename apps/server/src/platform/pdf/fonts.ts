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

/** Cached: loading a font takes longer than drawing a report. A file embeds only the glyphs that it uses. */
const faceFrom = (file: string) => {
  let face: Face | undefined
  return () => {
    if (face) return face
    face = create(readFileSync(load.resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`)))
    // Each glyph keeps the code point of its first lookup. One that is first used as a part of another has none, and would be missing in
    // text copied from the file.
    for (const codePoint of face.characterSet) face.glyphForCodePoint(codePoint)
    return face
  }
}
const plainFace = faceFrom('DejaVuSansCondensed')
const boldFace = faceFrom('DejaVuSansCondensed-Bold')

// What the standard fonts of every PDF reader can draw; they need no embedding, and most texts need nothing else.
const western = /^[\x20-\x7e\xa0-\xff–—‘’“”•…€\n]*$/
/** Whether the standard fonts of every PDF reader can draw a printable text. */
export const isWestern = (text: string) => western.test(text)
// Scripts written from left to right without joining. Others need text shaping, not only a font.
const simpleScript =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]$/u
const turnsDirection = /[\u061c\u202a-\u202e\u2066-\u2069]/

const isPrintable = (char: string) =>
  isWestern(char) ||
  (simpleScript.test(char) &&
    !turnsDirection.test(char) &&
    plainFace().hasGlyphForCodePoint(char.codePointAt(0) as number))

/** Normalizes the text and removes invisible characters. */
const normalize = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\t\u2000-\u200a\u202f\u205f]/g, ' ')
    .replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, '')

/** The characters of a text that cannot be printed, each once. A document that must be exact is rejected because of them. */
export const findUnprintable = (text: string): string[] => [
  ...new Set(Array.from(normalize(text)).filter((char) => !isPrintable(char))),
]

/** Replaces a character that cannot be printed; it cannot be mistaken for a letter. */
export const missingCharacter = '□'

/** The text as it is printed. No character becomes another letter. */
export const toPrintable = (text: string): string => {
  const normalized = normalize(text)
  if (isWestern(normalized)) return normalized
  return Array.from(normalized, (char) => (isPrintable(char) ? char : missingCharacter)).join('')
}

/** Sets the font that can draw this printable text. */
export const chooseFont = (page: PDFKit.PDFDocument, text: string, isBold = false) => {
  if (isWestern(text)) return page.font(isBold ? 'Helvetica-Bold' : 'Helvetica')
  const name = isBold ? 'DejaVuBold' : 'DejaVu'
  // pdfkit takes a font that has been read, which its types do not say.
  page.registerFont(name, (isBold ? boldFace() : plainFace()) as unknown as string)
  return page.font(name)
}

/** Puts both fonts on the same baseline: DejaVu has a larger ascent and would be drawn lower. */
export const baselineOf = (size: number) => ({ baseline: -0.718 * size })
