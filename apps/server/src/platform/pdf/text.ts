import { conflict } from '../errors.ts'
import type { Face, Glyph } from './faces.ts'
import { findUnprintable, normalize } from './fonts.ts'
import { mark } from './structure.ts'
import { type Line, layOut, type Run } from './text-layout.ts'

type Page = PDFKit.PDFDocument

interface TextStyle {
  size?: number
  isBold?: boolean
  /** A text that is wider wraps. */
  width?: number
}
interface TextOptions extends TextStyle {
  color?: string
  /** Within the width. */
  align?: 'left' | 'center' | 'right' | undefined
  /** One line, cut with dots if it is wider. */
  isShort?: boolean
}

/** The height of capitals: the distance of the baseline from the upper edge. */
export const capitals = 0.718
const linePitch = { usual: 1.16, tall: 1.45 }

/**
 * Draws a text in any script with `y` at the top of its capitals, and gives the place below it. This is the only way texts get into our
 * PDFs: a character that no font has refuses the whole document, because nobody must read another name than the one meant.
 */
export const drawText = (page: Page, text: string, x: number, y: number, options: TextOptions = {}): number => {
  const { size = 9, width, align = 'left', color = '#000000', isShort = false } = options
  const lines = isShort ? [shortened(text, options)] : linesOf(text, options)
  const draw = () => {
    page.fillColor(color)
    let top = y
    for (const line of lines) {
      const free = (width ?? 0) - (line.width * size) / 1000
      const shift = width === undefined || align === 'left' ? 0 : align === 'right' ? free : free / 2
      drawLine(page, line, x + shift, top + capitals * size, size)
      top += pitchOf(line) * size
    }
  }
  const isShaped = lines.some((line) => line.isShaped)
  if (lines.some(({ runs }) => runs.length > 0)) mark(page, draw, isShaped ? normalize(text) : undefined)
  return y + heightOfLines(lines, size)
}

/** The height of a text in its column, in points. */
export const heightOfText = (text: string, style: TextStyle): number =>
  heightOfLines(linesOf(text, style), style.size ?? 9)

export const widthOfText = (text: string, { size = 9, isBold = false }: TextStyle): number =>
  (Math.max(...layOut(printable(text), isBold).map(({ width }) => width)) * size) / 1000

const linesOf = (text: string, { size = 9, isBold = false, width }: TextStyle): readonly Line[] =>
  layOut(printable(text), isBold, width === undefined ? undefined : (width * 1000) / size + 0.01)

/** The text as it is printed; 409 with the characters that cannot be. */
const printable = (text: string): string => {
  const letters = findUnprintable(text)
  if (letters.length > 0) throw conflict(`No font here can print ${letters.join(' ')} in '${shownPart(text)}'`)
  return normalize(text)
}
const shownPart = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

const shortened = (text: string, style: TextOptions): Line => {
  const { size = 9, isBold = false, width = Number.POSITIVE_INFINITY } = style
  const line = printable(text).replaceAll('\n', ' ')
  const available = (width * 1000) / size + 0.01
  const whole = layOut(line, isBold)[0] as Line
  if (whole.width <= available) return whole
  const letters = Array.from(line)
  while (letters.length > 1) {
    letters.pop()
    const cut = layOut(`${letters.join('').trimEnd()}…`, isBold)[0] as Line
    if (cut.width <= available) return cut
  }
  return layOut('…', isBold)[0] as Line
}

const pitchOf = ({ isShaped }: Line) => (isShaped ? linePitch.tall : linePitch.usual)
const heightOfLines = (lines: readonly Line[], size: number) =>
  Math.max(size + 2, lines.reduce((sum, line) => sum + pitchOf(line), 0) * size)

// ── drawing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Parts of pdfkit that are not in its types. */
interface EmbeddedFont {
  id: string
  widths: number[]
  unicode: number[][]
  ref: () => unknown
}
type Document = Page & { _font: EmbeddedFont; page: { fonts: Record<string, unknown> } }
interface OwnFont {
  embedded: EmbeddedFont
  glyphs: Glyph[]
  ids: Map<Glyph, number>
}

const fonts = new WeakMap<Page, Map<Face, OwnFont>>()

const fontIn = (page: Page, face: Face): OwnFont => {
  const known = fonts.get(page) ?? new Map<Face, OwnFont>()
  fonts.set(page, known)
  const found = known.get(face)
  if (found) return found
  const missing: Glyph = { text: '\0', outline: new Uint8Array(0), advance: 0, bearing: 0 }
  const glyphs = [missing]
  // pdfkit takes a font that has been read, which its types do not say, and asks it for a subset when the file ends.
  page.font(withOwnGlyphs(face, glyphs) as string)
  const own: OwnFont = { embedded: (page as Document)._font, glyphs, ids: new Map() }
  known.set(face, own)
  return own
}

/** A TrueType font that has the tables of the face, and as glyphs just those that the document uses, each with its own text. */
const withOwnGlyphs = (face: Face, glyphs: readonly Glyph[]): unknown => {
  const font = face.font()
  const subset = font.createSubset() as unknown as Subset
  const source = Object.create(font, {
    postscriptName: { value: face.name },
    createSubset: { value: () => subset },
    getGlyph: { value: () => ({ advanceWidth: 0 }) },
    loca: { value: { version: 1 } },
    head: { value: { ...font.head, unitsPerEm: 1000 } },
    // A whole word may be one glyph.
    maxp: { value: { ...font.maxp, maxPoints: 0x7fff, maxContours: 0x7fff } },
    'cvt ': { value: undefined },
    prep: { value: undefined },
    fpgm: { value: undefined },
  })
  subset.font = source
  subset.glyphs = glyphs
  subset._addGlyph = ({ outline, advance, bearing }) => {
    subset.glyf.push(outline)
    subset.loca.offsets.push(subset.offset)
    subset.hmtx.metrics.push({ advance, bearing })
    subset.offset += outline.length
    return subset.glyf.length - 1
  }
  return source
}
interface Subset {
  font: unknown
  glyphs: readonly Glyph[]
  glyf: Uint8Array[]
  offset: number
  loca: { offsets: number[] }
  hmtx: { metrics: { advance: number; bearing: number }[] }
  _addGlyph: (glyph: Glyph) => number
}

const idOf = (own: OwnFont, glyph: Glyph): string => {
  let id = own.ids.get(glyph)
  if (id === undefined) {
    id = own.glyphs.push(glyph) - 1
    own.ids.set(glyph, id)
    own.embedded.widths[id] = glyph.advance
    own.embedded.unicode[id] = Array.from(glyph.text, (char) => char.codePointAt(0) as number)
  }
  return id.toString(16).padStart(4, '0')
}

const drawLine = (page: Page, { runs }: Line, x: number, y: number, size: number) => {
  const shown = runs.map((run) => showRun(page, run, size))
  // The page is turned upside down by pdfkit, its letters must not be.
  page.addContent(['BT', `1 0 0 -1 ${rounded(x)} ${rounded(y)} Tm`, ...shown, 'ET'].join('\n'))
}

const showRun = (page: Page, { face, glyphs }: Run, size: number): string => {
  const own = fontIn(page, face)
  const { id } = own.embedded
  const { fonts: used } = (page as Document).page
  used[id] ??= own.embedded.ref()
  let shown = ''
  let open = ''
  for (const { glyph, advance } of glyphs) {
    open += idOf(own, glyph)
    const closer = glyph.advance - advance
    if (Math.abs(closer) < 0.05) continue
    shown += `<${open}> ${rounded(closer)} `
    open = ''
  }
  return `/${id} ${size} Tf [${shown}${open && `<${open}>`}] TJ`
}

const rounded = (number: number) => String(Math.round(number * 1000) / 1000)
