import { bottom, faint, heightOf, left, put, renderPdf, right, rule } from '../reports/pdf-drawing.ts'

/** The content of a dossier, part by part. */
export type Dossier = Record<string, unknown> & { requisition: object }

const titles = {
  requisition: 'Requisition',
  specimens: 'Specimens and custody',
  results: 'Results',
  signatures: 'Signatures',
  deliveries: 'Deliveries',
  calls: 'Critical calls',
  corrections: 'Corrections',
  access: 'Who has seen it',
  audit: 'Changes',
}

/** The readable dossier: each part with one line per record. `dossier.json` has the complete data. */
export const renderDossier = (dossier: Dossier, id: number): Promise<Buffer> => {
  const at = new Date()
  return renderPdf(`Dossier of requisition ${id}`, at, true, (page) => {
    const width = right - left
    let y = 48
    const line = (text: string, look: { size?: number; bold?: boolean; color?: string } = {}) => {
      const options = { size: 8, width, ...look }
      const height = heightOf(text, options) + 3
      if (y + height > bottom) {
        page.addPage()
        y = 48
      }
      put(page, text, left, y, options)
      y += height
    }
    line(`Dossier of requisition ${id}`, { size: 14, bold: true })
    line(`Made ${at.toISOString()}. The files and their SHA-256 are in manifest.json.`, { color: faint })
    for (const [name, title] of Object.entries(titles)) {
      const part = dossier[name]
      const records = Array.isArray(part) ? part : [part]
      y += 8
      line(Array.isArray(part) ? `${title}: ${records.length}` : title, { size: 11, bold: true })
      rule(page, y)
      y += 4
      for (const record of records) line(words(record))
    }
  })
}

const words = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(words).filter(Boolean).join('; ')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, each]) => [name, words(each)] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name} ${text}`)
    .join(', ')
}
