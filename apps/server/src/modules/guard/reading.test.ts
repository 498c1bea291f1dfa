import { Readable } from 'node:stream'
import { constants, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readFile } from './service.ts'

const read = (bytes: Uint8Array) => readFile(async () => Readable.from([bytes]), 'pdf')

/** A font that calls one of its signs, the brace, by a zero. */
const letters =
  'begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7A> <0020> endbfrange 1 beginbfchar <7B> <0000> endbfchar endcmap'

/** A page whose packed content is `megabytes` of spaces, before what it says. */
const pdfOf = (text: string, megabytes: number): Uint8Array => {
  const flush = { finishFlush: constants.Z_FULL_FLUSH }
  const spaces = deflateRawSync(Buffer.alloc(2 ** 20, ' '), flush)
  const said = deflateRawSync(Buffer.from(`BT /F 12 Tf 50 700 Td (${text}) Tj ET`))
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(megabytes).fill(spaces), said])
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${packed.length}/Filter/FlateDecode>>\nstream\n`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
    `<</Length ${letters.length}>>\nstream\n${letters}\nendstream`,
  ]
  const parts = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  for (const [index, object] of objects.entries()) {
    places.push(parts.reduce((sum, part) => sum + part.length, 0))
    parts.push(Buffer.from(`${index + 1} 0 obj\n${object}`))
    if (object.endsWith('stream\n')) parts.push(packed, Buffer.from('\nendstream'))
    parts.push(Buffer.from('\nendobj\n'))
  }
  const start = parts.reduce((sum, part) => sum + part.length, 0)
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(`xref\n0 7\n0000000000 65535 f \n${rows}trailer<</Size 7/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`),
  )
  return new Uint8Array(Buffer.concat(parts))
}

describe('reading a file', () => {
  it('gives its lines', async () => {
    expect(await read(pdfOf('Requisition 1000001', 1))).toEqual({
      lines: ['Requisition 1000001'],
      barCodes: [],
      unreadPages: 0,
      fault: null,
    })
  })

  it('gives nothing that the database could not keep', async () => {
    const { lines } = await read(pdfOf('Requisition 1000001 {', 1))
    expect(lines).toEqual([expect.stringMatching(/^Requisition 1000001/)])
    expect(JSON.stringify(lines)).not.toContain('\\u0000')
  })

  it('stops at a file that expands to gigabytes before memory runs out, and reads the next', async () => {
    const bomb = pdfOf('never read', 4000)
    expect(bomb.length).toBeLessThan(8_000_000)
    expect((await read(bomb)).fault).toBe('overLimit')
    expect(process.memoryUsage().rss).toBeLessThan(3 * 2 ** 30)
    expect((await read(pdfOf('Requisition 1000002', 1))).lines).toEqual(['Requisition 1000002'])
  })
})
