import { describe, expect, it } from 'vitest'
import { hl7Time, readFile } from './read-file.ts'

const fileColumns = {
  specimenId: 'Sample',
  code: 'Assay',
  value: 'Value',
  units: 'Unit',
  flags: 'Flag',
  status: null,
  operator: null,
  reagentLot: 'Lot',
  measuredAt: 'Time',
}
const read = (text: string) => readFile(text, { toInstant: (time) => time || null, fileColumns })

describe('a file with results', () => {
  it('BENCH-03 is read by the headings of its columns, whatever their order, case and delimiter', () => {
    const { results } = read(
      'sep=;\r\nTIME;Sample;Note;assay;Value;Unit;Flag;Lot\r\n2026-11-19 08:20;1000123;x;CHOL;"1,5";mg/dL;Clot; R7\r\n\r\n;;;;;;;\r\n',
    )
    expect(results).toEqual([
      {
        specimenId: '1000123',
        isControl: false,
        code: 'CHOL',
        value: '1,5',
        units: 'mg/dL',
        flags: ['Clot'],
        abnormalFlag: 'Clot',
        status: '',
        operator: null,
        reagentLot: 'R7',
        measuredAt: '20261119082000',
        completedAt: '2026-11-19 08:20',
        rawRecord: '2026-11-19 08:20;1000123;x;CHOL;1,5;mg/dL;Clot; R7',
      },
    ])
  })

  it('BENCH-03 is refused with a reason without a column or a result, and when it is not CSV', () => {
    expect(() => read('Sample,Assay,Value,Unit,Flag,Time\n1,CHOL,5,,,\n')).toThrow('no column Lot (Reagent Lot)')
    expect(() => read('Sample,Assay,Value,Unit,Flag,Lot,Time\n')).toThrow('The file has no results')
    expect(() => read('Sample,"Assay\n')).toThrow('cannot be read as CSV')
    expect(() => readFile('a\n', { toInstant: () => null, fileColumns: null })).toThrow('not set up')
  })

  it('BENCH-03 is refused where a value could be in the wrong column, or a time cannot be read', () => {
    const head = 'Sample,Assay,Value,Unit,Flag,Lot,Time\n'
    expect(() => read(`${head}1,CHOL,5,mg/dL,,,\n2,CHOL,1,5,mg/dL,,,\n`)).toThrow(
      'Result 2 has 8 cells, but there are 7',
    )
    expect(() => read(`${head}1,CHOL,5,,\n`)).toThrow('Result 1 has 5 cells')
    expect(() => read('Sample,Assay,Value,VALUE,Unit,Flag,Lot,Time\n1,CHOL,5,6,,,,\n')).toThrow(
      'the column Value twice',
    )
    expect(() => read(`${head}1,CHOL,5,,,,19.11.2026 08:20\n`)).toThrow('19.11.2026 08:20 is not a date with a time')
  })

  it.each([
    ['2026-11-19T08:20:05Z', '20261119082005+0000'],
    ['2026-11-19 08:20:05.120 -05:00', '20261119082005-0500'],
    ['11/9/2026 8:20', '20261109082000'],
    ['2026-11-19', '20261119'],
    ['20261119082000', '20261119082000'],
    ['soon', 'soon'],
  ])('BENCH-03 may write a time as %s', (text, expected) => {
    expect(hl7Time(text)).toBe(expected)
  })
})
