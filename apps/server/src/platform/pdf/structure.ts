/** The elements of a tagged PDF that texts and tables are made of. */
type Container = 'Document' | 'Sect' | 'Table' | 'TR'
type Holder = 'H1' | 'H2' | 'P' | 'TH' | 'TD' | 'Figure' | 'Span'

interface Element {
  type: Container | Holder
  element: PDFKit.PDFStructureElement
}
type Place = Element | 'artifact'

const holders: ReadonlySet<string> = new Set<Holder>(['H1', 'H2', 'P', 'TH', 'TD', 'Figure', 'Span'])
/** Where each document is in its structure. */
const places = new WeakMap<PDFKit.PDFDocument, Place>()

interface ElementOptions {
  /** Of a picture: what it shows. */
  alt?: string
  /** The text, where letters are drawn in another order. */
  actual?: string
  columns?: number
}

/** Starts the structure of a document made with `tagged`. Without it a document has no tags. */
export const startStructure = (page: PDFKit.PDFDocument) => {
  const element = page.struct('Document')
  page.addStructure(element)
  places.set(page, { type: 'Document', element })
}

/** What is drawn inside belongs to a new element of this type, in the order of drawing. */
export const inside = <T>(
  page: PDFKit.PDFDocument,
  type: Container | Holder,
  draw: () => T,
  { alt, actual, columns = 1 }: ElementOptions = {},
): T => {
  const place = places.get(page)
  if (!place || place === 'artifact') return draw()
  const options = { ...(alt && { alt }), ...(actual && { actual }), ...(type === 'TH' && { scope: 'Column' }) }
  const element = page.struct(type, options)
  // pdfkit has no option for it, and its types do not name the dictionary.
  if (columns > 1) dataOf(element).A = { O: 'Table', ColSpan: columns }
  place.element.add(element)
  places.set(page, { type, element })
  const result = draw()
  element.end()
  places.set(page, place)
  return result
}

const dataOf = (element: PDFKit.PDFStructureElement) =>
  (element as unknown as { dictionary: { data: Record<string, unknown> } }).dictionary.data

/** What is drawn inside is no content: the head of a further page, a page number. */
export const asArtifact = <T>(page: PDFKit.PDFDocument, draw: () => T): T => {
  const place = places.get(page)
  if (!place) return draw()
  places.set(page, 'artifact')
  const result = draw()
  places.set(page, place)
  return result
}

/** Marks a text or picture as content of the present element; one without a parent element is a paragraph. */
export const mark = (page: PDFKit.PDFDocument, draw: () => void, actual?: string): void => {
  const place = places.get(page)
  if (!place) draw()
  else if (place === 'artifact') markArtifact(page, draw)
  else if (!holders.has(place.type)) inside(page, 'P', () => mark(page, draw, actual))
  else if (actual) inside(page, 'Span', () => mark(page, draw), { actual })
  else {
    const content = page.markStructureContent(place.type)
    draw()
    page.endMarkedContent()
    place.element.add(content)
  }
}

/** Marks lines and bars. */
export const markArtifact = (page: PDFKit.PDFDocument, draw: () => void): void => {
  const isTagged = places.has(page)
  if (isTagged) page.markContent('Artifact', { type: 'Layout' })
  draw()
  if (isTagged) page.endMarkedContent()
}
