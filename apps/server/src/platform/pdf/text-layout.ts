import { createRequire } from 'node:module'
import type { Bidi } from 'bidi-js'
import { type Face, faceOf, isUsual, type PlacedGlyph, regionOf, remembered, usualFace, widerFace } from './faces.ts'

/** Glyphs from left to right, in the font that is embedded for this face. */
export interface Run {
  face: Face
  glyphs: readonly PlacedGlyph[]
}
export interface Line {
  runs: Run[]
  /** In thousandths of the font size. */
  width: number
  /** Has joined or reordered letters, which are higher or reach lower than Western ones. */
  isShaped: boolean
}

interface Part {
  text: string
  face: Face
}

// Its types do not fit the way in which Node imports it.
const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)()
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/
// Chinese and Japanese are written without spaces and may break after each letter.
const wordPattern =
  /[\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]| +|[^ \u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]+/gu
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The lines of a printable text, none wider than `maxWidth` in thousandths of the font size where it can be broken. */
export const layOut = (text: string, isBold: boolean, maxWidth = Number.POSITIVE_INFINITY): readonly Line[] =>
  laidOut(`${isBold ? 1 : 0} ${maxWidth} ${text}`)

const laidOut = remembered((key): readonly Line[] => {
  const [, bold, widest, text = ''] = /^(\d) (\S+) (.*)$/su.exec(key) ?? []
  const isBold = bold === '1'
  const region = regionOf(text)
  return text.split('\n').flatMap((paragraph) => {
    const widthOf = (words: string) => partsOf(words, isBold, region).reduce((sum, part) => sum + widthOfPart(part), 0)
    return breakLines(paragraph, Number(widest), widthOf).map((line) => lineOf(line, isBold, region))
  })
})

const breakLines = (paragraph: string, maxWidth: number, widthOf: (words: string) => number): string[] => {
  const lines: string[] = []
  let line = ''
  let width = 0
  const add = (word: string, wordWidth: number) => {
    if (width + wordWidth > maxWidth && line.trim() !== '') {
      lines.push(line.trimEnd())
      line = ''
      width = 0
      if (word.trim() === '') return
    }
    line += word
    width += wordWidth
  }
  for (const [word] of paragraph.matchAll(wordPattern)) {
    const wordWidth = widthOf(word)
    if (wordWidth <= maxWidth) add(word, wordWidth)
    else for (const { segment } of graphemes.segment(word)) add(segment, widthOf(segment))
  }
  lines.push(line.trimEnd())
  return lines
}

/** A text in parts of one face; the words of a shaped face and the spaces between them are parts of their own. */
const partsOf = (text: string, isBold: boolean, region: ReturnType<typeof regionOf>): Part[] => {
  if (isUsual(text)) return text === '' ? [] : [{ text, face: usualFace(isBold) }]
  return text.split(/( +)/).flatMap((word) => (word === '' ? [] : partsOfWord(word, isBold, region)))
}

const partsOfWord = (word: string, isBold: boolean, region: ReturnType<typeof regionOf>): Part[] => {
  const [usual, wider] = [usualFace(isBold), widerFace(isBold)]
  const parts: Part[] = []
  for (const char of word) {
    const last = parts.at(-1)
    const isPartOfLast = /[\p{M}\u200c\u200d]/u.test(char) && last?.face.has(char)
    const face = isPartOfLast ? (last as Part).face : (faceOf(char, isBold, region) ?? wider)
    if (last?.face === face) last.text += char
    else parts.push({ text: char, face })
  }
  // A name is in one face, even if only some of its letters need the wider one.
  if (!parts.some(({ face }) => face === wider)) return parts
  const whole: Part[] = []
  for (const part of parts) {
    const face = part.face === usual ? wider : part.face
    const last = whole.at(-1)
    if (last?.face === face) last.text += part.text
    else whole.push({ text: part.text, face })
  }
  return whole
}

const widthOfPart = ({ text, face }: Part) => face.shape(text, false).reduce((sum, { advance }) => sum + advance, 0)

const lineOf = (line: string, isBold: boolean, region: ReturnType<typeof regionOf>): Line => {
  const parts = partsOf(line, isBold, region)
  const pieces = rightToLeft.test(line)
    ? reorder(splitByLevel(parts, bidi.getEmbeddingLevels(line, 'ltr').levels)).map(runOf)
    : parts.map(({ text, face }): Run => ({ face, glyphs: face.shape(text, false) }))
  const shaped = parts.find(({ face }) => face.isShaped)?.face
  const width = pieces.reduce((sum, { glyphs }) => sum + glyphs.reduce((all, { advance }) => all + advance, 0), 0)
  // In one font, because some programs that extract text handle each font of a line separately.
  const runs = shaped ? [{ face: shaped, glyphs: pieces.flatMap(({ glyphs }) => glyphs) }] : pieces
  return { runs, width, isShaped: shaped !== undefined }
}

type Levelled = Part & { level: number }

/** From right to left, letters of a face that is not shaped are placed one by one. */
const splitByLevel = (parts: readonly Part[], levels: Uint8Array): Levelled[] => {
  const split: Levelled[] = []
  let at = 0
  for (const { text, face } of parts) {
    let isOpen = false
    for (const char of text) {
      const level = levels[at] as number
      const isAlone = isOdd(level) && !face.isShaped
      const last = isOpen ? split.at(-1) : undefined
      if (last?.level === level && !isAlone) last.text += char
      else split.push({ text: char, face, level })
      isOpen = true
      at += char.length
    }
  }
  return split
}

const isOdd = (level: number) => level % 2 === 1

/**
 * Lines run from left to right, with words from right to left in between: labels and numbers stand before a name. From the highest level
 * down, what is at least at that level turns round (rule L2 of the bidirectional algorithm).
 */
const reorder = (parts: readonly Levelled[]): Levelled[] => {
  let order = [...parts]
  for (let level = Math.max(...parts.map((part) => part.level)); level > 0; level--) {
    const next: Levelled[] = []
    let turned: Levelled[] = []
    for (const part of order) {
      if (part.level >= level) turned.unshift(part)
      else {
        next.push(...turned, part)
        turned = []
      }
    }
    order = [...next, ...turned]
  }
  return order
}

const runOf = ({ text, face, level }: Levelled): Run => {
  const isRtl = isOdd(level)
  if (!isRtl || face.isShaped) return { face, glyphs: face.shape(text, isRtl) }
  // A bracket that opens from the right is drawn as the other one, and still represents itself.
  const mirrored = bidi.getMirroredCharacter(text) ?? text
  return { face, glyphs: face.shape(mirrored, false).map((one) => ({ ...one, glyph: { ...one.glyph, text } })) }
}
