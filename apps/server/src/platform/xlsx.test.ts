import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { readXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import { type CellValue, type Sheet, writeXlsx } from './xlsx.ts'

const columns = [{ header: 'A' }, { header: 'B' }]
const readBack = async (sheet: Partial<Sheet>) =>
  (await readXlsx(await buffer(writeXlsx({ name: 'people', columns, rows: [], ...sheet })))).sheets
const cellsOf = async (rows: CellValue[][], over: Partial<Sheet> = {}) =>
  (await readBack({ rows: [rows], ...over }))[0]?.rows ?? []

describe('a spreadsheet file', () => {
  it('returns every text unchanged', async () => {
    const texts = [
      '=1+1',
      '+1',
      '@SUM(A1)',
      ' before and after ',
      'two\nlines\tand a tab',
      '<b>&amp; "quotes" \'too\'</b>',
      ']]>',
      'Ærøskøbing 東京 😀',
      '007',
      'underscore _ alone',
      '2026-01-02',
    ]
    expect((await cellsOf(texts.map((text) => [text, null]))).slice(1).map(([text]) => text)).toEqual(texts)
    const sheet = (await readBack({ rows: [[['=1+1', null]]] }))[0]
    expect(JSON.stringify([...(sheet?.cells?.values() ?? [])])).not.toContain('"formula":')
  })

  it('escapes what XML cannot contain, and never breaks the file', async () => {
    const xml = async (text: string) => {
      const cells = await cellsOf([[text, 'end']])
      expect(cells[1]?.[1]).toBe('end')
      return cells[1]?.[0]
    }
    expect(await xml('bell\u0007, null\u0000')).toBe('bell\u0007, null\u0000')
    expect(await xml('a\r\nb')).toBe('a\r\nb')
    expect(await xml('_x0041_')).toBe('_x0041_')
    expect(await xml('half \ud83d pair')).toBe('half \ufffd pair')
    expect(String(await xml('x'.repeat(40_000)))).toHaveLength(32_767)
  })

  it('stores numbers, booleans and dates with their types; empty cells stay empty', async () => {
    const day = new Date('2026-02-28T00:00:00Z')
    const moment = new Date('2026-02-28T15:30:00Z')
    const rows: CellValue[][] = [
      [1.5, true],
      [Number.NaN, null],
      [day, moment],
      [new Date('1900-01-01T00:00:00Z'), ''],
    ]
    const [, ...read] = await cellsOf(rows, {
      columns: [{ header: 'A' }, { header: 'B', format: 'mm/dd/yyyy hh:mm' }],
    })
    expect(read[0]).toEqual([1.5, true])
    expect(read[1]?.every((cell) => cell === null || cell === undefined) ?? true).toBe(true)
    expect(read[2]).toEqual([day, moment])
    expect(read[3]?.[0]).toEqual(new Date('1900-01-01T00:00:00Z'))
  })

  it('continues on a second sheet with the same headers when the first is full', async () => {
    const rows = Array.from({ length: 7 }, (_, index): CellValue[] => [index + 1, null])
    const sheets = await readBack({ name: 'a'.repeat(40), rows: [rows.slice(0, 2), rows.slice(2)], rowsPerSheet: 4 })
    expect(sheets.map(({ name }) => name)).toEqual(['a'.repeat(31), `${'a'.repeat(29)}_2`, `${'a'.repeat(29)}_3`])
    expect(sheets.map(({ rows: [head] }) => head)).toEqual(Array(3).fill(['A', 'B']))
    expect(sheets.flatMap(({ rows: [, ...read] }) => read.map(([number]) => number))).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await readBack({ rows: [rows.slice(0, 3)], rowsPerSheet: 4 })).toHaveLength(1)
  })

  it('names columns beyond Z', async () => {
    const wide = Array.from({ length: 703 }, (_, index) => ({ header: `H${index}` }))
    const [head] = await cellsOf([], { columns: wide })
    expect([head?.[25], head?.[26], head?.[701], head?.[702]]).toEqual(['H25', 'H26', 'H701', 'H702'])
  })

  it('fails with the error of its rows, and closes them when the reader stops', async () => {
    const broken = async function* () {
      yield [['one', 'two']]
      throw new Error('The database went away')
    }
    await expect(buffer(writeXlsx({ name: 'x', columns, rows: broken() }))).rejects.toThrow('The database went away')
    let isClosed = false
    const endless = async function* () {
      try {
        for (;;) {
          await turn()
          yield Array.from({ length: 1000 }, (): CellValue[] => [String(Math.random()), 1])
        }
      } finally {
        isClosed = true
      }
    }
    const file = writeXlsx({ name: 'x', columns, rows: endless() })
    file.once('data', () => file.destroy())
    await expect.poll(() => isClosed).toBe(true)
  })
})
