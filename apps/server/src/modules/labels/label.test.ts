import bwip from 'bwip-js/node'
import { describe, expect, it } from 'vitest'
import { emWidth, type LabelSource, labelsOf, splitCodes } from './label.ts'
import { labelsAsZpl } from './label-zpl.ts'

const source = (over: Partial<LabelSource>): LabelSource => ({
  id: 1_002_794,
  firstName: 'Zoë',
  lastName: 'Größ',
  dob: '1960-01-02',
  collectedAt: '2026-11-09T03:05:00Z',
  collectedZone: 'America/Los_Angeles',
  isToCollect: false,
  testCodes: '',
  isShowDp: false,
  cryoFlag: null,
  cryoPrintNbr: 0,
  ...over,
})

const fourteen = 'A1C,APOA1,APOB,APOBA1,CHOL,CHOLHDL,HDL,HSCRP,LDL,LPA,NONHDL,SDLDL,TRIG,VLDL'
const many = Array.from({ length: 60 }, (_, index) => `TEST${index}`).join(',')

describe('the lines of test codes', () => {
  it.each([
    ['A1C,DP,DPI', ['A1C,DP,', 'DPI']],
    ['CHOL,HDL,TRIG', ['CHOL,HDL,', 'TRIG']],
    ['CHOL,HDL', ['CHOL,HDL']],
    // No comma within nine characters: the code stays whole.
    ['CHOLESTEROL,HDL', ['CHOLESTEROL,', 'HDL']],
    ['', []],
  ])('of %s end at the last comma within nine characters, LIST-237', (codes, lines) => {
    expect(splitCodes(codes)).toEqual(lines)
  })

  it.each([fourteen, many])('lose no code and cut none in two: %s', (codes) => {
    const lines = splitCodes(codes)
    expect(lines.join('')).toBe(codes)
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/,$/)
  })

  it('go on on a further label, each of which says which part it is', () => {
    const labels = labelsOf('BARCODE', source({ testCodes: many }))
    const parts = labels.length / 6
    expect(parts).toBeGreaterThan(1)
    for (let tube = 0; tube < 6; tube++) {
      const own = labels.slice(tube * parts, (tube + 1) * parts)
      expect(own.flatMap(({ codeLines }) => codeLines).join('')).toBe(many)
      expect(own.map(({ lines }) => lines[1]?.slice(-3))).toEqual(own.map((_, part) => `${part + 1}/${parts}`))
    }
  })

  it('of fourteen tests fit on one label', () => {
    expect(labelsOf('BARCODE', source({ testCodes: fourteen }))).toHaveLength(6)
  })
})

/** Where each thing of a label begins and ends, in dots. */
const extentsOf = (label: string) => {
  const texts = [...label.matchAll(/\^FO(\d+),(\d+)\^A0N,(\d+),(\d+)\^FH_\^FD(.*)\^FS/g)].map(
    ([, x, y, height, width, text = '']) => ({
      right: Number(x) + emWidth(text) * Number(width),
      bottom: Number(y) + Number(height),
    }),
  )
  const [, x, y, module, height, code = ''] =
    /\^FO(\d+),(\d+)\^BY(\d+)\^BCN,(\d+),N,N,N,A\^FD(\d+)\^FS/.exec(label) ?? []
  const [symbol] = bwip.raw({ bcid: 'code128', text: code }) as unknown as { sbs: number[] }[]
  const modules = (symbol?.sbs ?? []).reduce((sum, one) => sum + one, 0)
  // Ten modules of white behind the bars belong to them.
  return [...texts, { right: Number(x) + (modules + 10) * Number(module), bottom: Number(y) + Number(height) }]
}

describe('the label printer', () => {
  it.each([
    ['BARCODE', source({ testCodes: fourteen })],
    ['BARCODE', source({ testCodes: many, isShowDp: true })],
    [
      'BARCODE',
      source({ id: 99_999_999, lastName: 'Wolfeschlegelsteinhausenbergerdorff-Montgomery', testCodes: 'A1C' }),
    ],
    ['BARCODE', source({ lastName: 'W'.repeat(100), firstName: 'M'.repeat(100), testCodes: 'W'.repeat(50) })],
    ['CRYO', source({ cryoPrintNbr: 1, cryoFlag: 'WWWWWWWWWW' })],
  ] as const)('gets %s labels on which nothing runs off the edge, LIST-231', (type, one) => {
    const labels = labelsAsZpl(type, labelsOf(type, one)).split('^XZ\n').filter(Boolean)
    for (const label of labels) {
      const [, width, height] = /\^PW(\d+)\^LL(\d+)/.exec(label) ?? []
      for (const { right, bottom } of extentsOf(label)) {
        expect(right).toBeLessThanOrEqual(Number(width))
        expect(bottom).toBeLessThanOrEqual(Number(height))
      }
    }
  })
})
