import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encodeOutline, type PathCommand } from './outline.ts'

// ── fontkit, pdfkit's own reader and shaper of fonts, which brings no types ──────────────────────────────────────────

interface Path {
  commands: PathCommand[]
  translate: (x: number, y: number) => Path
}
interface FontGlyph {
  id: number
  advanceWidth: number
  path: Path
  _decode: () => { points?: { copy: () => object }[] }
}
interface Run {
  glyphs: FontGlyph[]
  positions: { xAdvance: number; xOffset: number; yOffset: number }[]
}
interface FontFile {
  characterSet: number[]
  unitsPerEm: number
  variationCoords?: number[]
  _variationProcessor: { transformPoints: (id: number, points: object[]) => void }
  hasGlyphForCodePoint: (codePoint: number) => boolean
  glyphForCodePoint: (codePoint: number) => FontGlyph
  layout: (text: string, features?: object, script?: string, language?: string, direction?: 'ltr' | 'rtl') => Run
  createSubset: () => unknown
  maxp: object
  head: object
}

const load = createRequire(import.meta.url)
const { create } = load('fontkit') as { create: (bytes: Buffer) => FontFile }
const open = (file: string): FontFile => create(readFileSync(load.resolve(file)))

// ── faces ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a document embeds: an outline, its width in thousandths of the font size, and the text that it represents. */
export interface Glyph {
  text: string
  outline: Uint8Array
  advance: number
  bearing: number
}

export interface PlacedGlyph {
  glyph: Glyph
  /** To the next glyph. */
  advance: number
}

export interface Face {
  name: string
  /** Its tables, for a document that embeds it. */
  font: () => FontFile
  has: (char: string) => boolean
  /** A word in its logical order. */
  shape: (word: string, isRtl: boolean) => readonly PlacedGlyph[]
  /** Its letters join or stand in another order; a word is drawn as a whole. */
  isShaped: boolean
}

/** Read on first use, and kept: loading a font takes longer than drawing a report. */
const once = <T>(make: () => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const maxShaped = 5000
/** Keeps what was made for a text: words and labels come again and again. */
export const remembered = <T>(make: (key: string) => T) => {
  const known = new Map<string, T>()
  return (key: string): T => {
    let found = known.get(key)
    if (found === undefined) {
      if (known.size >= maxShaped) known.clear()
      found = make(key)
      known.set(key, found)
    }
    return found
  }
}

/** A face in one file, whose letters become one glyph each where they can; a shaped word is one glyph, which represents the whole word. */
const faceIn = (name: string, file: string, isShaped: boolean): Face => {
  const font = once(() => open(file))
  const scale = () => 1000 / font().unitsPerEm
  const letter = remembered((text): Glyph => {
    const { advanceWidth, path } = font().glyphForCodePoint(text.codePointAt(0) as number)
    return { text, advance: Math.round(advanceWidth * scale()), ...encodeOutline(path.commands, scale()) }
  })
  const word = (text: string, run: Run, isRtl: boolean): PlacedGlyph[] => {
    const commands: PathCommand[] = []
    let x = 0
    run.glyphs.forEach(({ path }, index) => {
      const { xAdvance, xOffset, yOffset } = run.positions[index] as Run['positions'][number]
      commands.push(...path.translate(Math.round(x + xOffset), Math.round(yOffset)).commands)
      x += xAdvance
    })
    return spreadOver(isRtl ? Array.from(text).reverse() : Array.from(text), { advance: x, commands })
  }
  /**
   * The letters of a joined word have no outlines of their own: the first has that of all. Each letter has its share of the width,
   * except marks, which have none, and represents itself: so every program that extracts the text finds each letter in its place.
   */
  const spreadOver = (
    letters: readonly string[],
    { advance, commands }: { advance: number; commands: PathCommand[] },
  ) => {
    const isMark = (char: string) => /\p{M}/u.test(char)
    const wide = letters.filter((char) => !isMark(char)).length
    const share = (advance * scale()) / Math.max(1, wide)
    return letters.map((text, index): PlacedGlyph => {
      const width = isMark(text) && wide > 0 ? 0 : share
      const drawn = encodeOutline(index === 0 ? commands : [], scale())
      return { glyph: { text, advance: Math.round(width), ...drawn }, advance: width }
    })
  }
  const shapeIn = (direction: 'ltr' | 'rtl') =>
    remembered((text): readonly PlacedGlyph[] => {
      // One glyph for each letter: a ligature would be one for several.
      const run = font().layout(text, isShaped ? {} : { liga: false, clig: false }, undefined, undefined, direction)
      const letters = Array.from(text)
      const isPlain =
        !isShaped &&
        run.glyphs.length === letters.length &&
        run.positions.every(({ xOffset, yOffset }) => xOffset === 0 && yOffset === 0)
      if (!isPlain) return word(text, run, direction === 'rtl')
      return letters.map((char, index) => ({
        glyph: letter(char),
        advance: (run.positions[index]?.xAdvance ?? 0) * scale(),
      }))
    })
  const [ltr, rtl] = [shapeIn('ltr'), shapeIn('rtl')]
  return {
    name,
    font,
    has: (char) => font().hasGlyphForCodePoint(char.codePointAt(0) as number),
    shape: (text, isRtl) => (isRtl ? rtl : ltr)(text),
    isShaped,
  }
}

/** fontkit applies the weight to glyphs of other files, and not to those of WOFF2. */
const variedPath = (font: FontFile, glyph: FontGlyph): Path => {
  const { points = [] } = glyph._decode()
  const [first] = points
  if (first) {
    const phantoms = Array.from({ length: 4 }, () => Object.assign(first.copy(), { x: 0, y: 0, endContour: true }))
    font._variationProcessor.transformPoints(glyph.id, [...points, ...phantoms])
  }
  return glyph.path
}

/** A face of many thousand characters in slices, each a file with a variable weight; only the slices that a text needs are read. */
const slicedFace = (name: string, folder: string, weight: number): Face => {
  const slices = once(() => {
    const css = readFileSync(load.resolve(`${folder}/index.css`), 'utf8')
    return [...css.matchAll(/files\/([\w.-]+\.woff2)[^;]*;\s*unicode-range: ([^;]+);/g)].map(([, file, ranges]) => ({
      ranges: String(ranges)
        .split(',')
        .map((range) => range.trim().slice(2).split('-'))
        .map(([from, to = from]) => [Number.parseInt(String(from), 16), Number.parseInt(String(to), 16)] as const),
      font: once(() => {
        const font = open(`${folder}/files/${file}`)
        font.variationCoords = [weight]
        return font
      }),
    }))
  })
  const sliceWith = remembered((key) => {
    const codePoint = Number(key)
    const slice = slices().find(({ ranges }) => ranges.some(([from, to]) => codePoint >= from && codePoint <= to))
    return slice?.font().hasGlyphForCodePoint(codePoint) ? slice : null
  })
  const letter = remembered((text): PlacedGlyph => {
    const codePoint = text.codePointAt(0) as number
    const font = (sliceWith(String(codePoint)) as NonNullable<ReturnType<typeof sliceWith>>).font()
    const glyph = font.glyphForCodePoint(codePoint)
    const scale = 1000 / font.unitsPerEm
    // First, because the width asks for the outline and keeps it.
    const drawn = encodeOutline(variedPath(font, glyph).commands, scale)
    const advance = Math.round(glyph.advanceWidth * scale)
    return { glyph: { text, advance, ...drawn }, advance }
  })
  return {
    name,
    font: () => (slices()[0] as NonNullable<ReturnType<typeof slices>[0]>).font(),
    has: (char) => sliceWith(String(char.codePointAt(0))) !== null,
    shape: (word) => Array.from(word, letter),
    isShaped: false,
  }
}

const inBothWeights = (make: (isBold: boolean) => Face) => ({ plain: make(false), bold: make(true) })
type Weights = ReturnType<typeof inBothWeights>

/** Has the widths of Helvetica, for the letters of Western Europe. */
const arimo = inBothWeights((isBold) =>
  faceIn(
    `Arimo-${isBold ? 'Bold' : 'Regular'}`,
    `@fontsource/arimo/files/arimo-latin-${isBold ? 700 : 400}-normal.woff2`,
    false,
  ),
)
/** Other Latin letters, Greek, Cyrillic, Armenian, Georgian and symbols. */
const dejaVu = inBothWeights((isBold) => {
  const name = `DejaVuSansCondensed${isBold ? '-Bold' : ''}`
  return faceIn(name, `dejavu-fonts-ttf/ttf/${name}.ttf`, false)
})
const notoIn = (family: string, script: string) =>
  inBothWeights((isBold) =>
    faceIn(
      `NotoSans${family}-${isBold ? 'Bold' : 'Regular'}`,
      `@fontsource/noto-sans-${script}/files/noto-sans-${script}-${script}-${isBold ? 700 : 400}-normal.woff2`,
      true,
    ),
  )
const arabic = notoIn('Arabic', 'arabic')
const hebrew = notoIn('Hebrew', 'hebrew')
const devanagari = notoIn('Devanagari', 'devanagari')
const thai = notoIn('Thai', 'thai')
const cjk = (region: string) =>
  inBothWeights((isBold) =>
    slicedFace(
      `NotoSans${region.toUpperCase()}-${isBold ? 'Bold' : 'Regular'}`,
      `@fontsource-variable/noto-sans-${region}`,
      isBold ? 700 : 400,
    ),
  )
const [simplified, traditional, japanese, korean] = [cjk('sc'), cjk('tc'), cjk('jp'), cjk('kr')]

const blocks: [from: number, to: number, weights: Weights[]][] = [
  [0x590, 0x5ff, [hebrew]],
  [0x600, 0x6ff, [arabic]],
  [0x750, 0x77f, [arabic]],
  [0x8a0, 0x8ff, [arabic]],
  [0x900, 0x97f, [devanagari]],
  [0xe00, 0xe7f, [thai]],
  [0x1100, 0x11ff, [korean]],
  [0x2e80, 0x303f, [simplified, traditional, japanese, korean]],
  [0x3040, 0x30ff, [japanese]],
  [0x3100, 0x312f, [traditional]],
  [0x3130, 0x318f, [korean]],
  [0x31f0, 0x31ff, [japanese]],
  [0x3400, 0x9fff, [simplified, traditional, japanese, korean]],
  [0xa8e0, 0xa8ff, [devanagari]],
  [0xac00, 0xd7af, [korean]],
  [0xf900, 0xfaff, [simplified, traditional, japanese, korean]],
  [0xfb1d, 0xfb4f, [hebrew]],
  [0xfb50, 0xfdff, [arabic]],
  [0xfe70, 0xfefe, [arabic]],
  [0xff00, 0xffef, [simplified, traditional, japanese, korean]],
  [0x20000, 0x3ffff, [simplified, traditional, japanese, korean]],
]
const western = /^[\x20-\x7e\xa0-\xff–—‘’“”•…€]$/
// Scripts written from left to right without joining. Others need a face of their own.
const simpleScript =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]$/u
const turnsDirection = /[\u061c\u202a-\u202e\u2066-\u2069]/

const kana = /[\u3040-\u30ff\u31f0-\u31ff]/
const hangul = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]/

/** The language of a text with Chinese characters, by the characters beside them: kana makes it Japanese. */
export const regionOf = (text: string): 'ja' | 'ko' | null => (kana.test(text) ? 'ja' : hangul.test(text) ? 'ko' : null)

const candidates = (char: string, region: 'ja' | 'ko' | null): Weights[] => {
  if (western.test(char)) return [arimo]
  if (turnsDirection.test(char)) return []
  const codePoint = char.codePointAt(0) as number
  const block = blocks.find(([from, to]) => codePoint >= from && codePoint <= to)
  if (!block) return simpleScript.test(char) ? [dejaVu] : []
  const first = region === 'ja' ? japanese : region === 'ko' ? korean : null
  return first && block[2].includes(first) ? [first, ...block[2]] : block[2]
}

/** The face that has this character; null if none has. */
export const faceOf = (char: string, isBold: boolean, region: 'ja' | 'ko' | null): Face | null => {
  for (const { plain, bold } of candidates(char, region)) {
    const face = isBold ? bold : plain
    if (face.has(char)) return face
  }
  return null
}

/** One face for a whole word, where letters of Western Europe stand beside others. */
export const widerFace = (isBold: boolean): Face => (isBold ? dejaVu.bold : dejaVu.plain)
/** What most texts need. */
export const usualFace = (isBold: boolean): Face => (isBold ? arimo.bold : arimo.plain)
const usual = /^[\x20-\x7e\xa0-\xff–—‘’“”•…€]*$/
export const isUsual = (line: string) => usual.test(line)
