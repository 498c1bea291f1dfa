import type { LabelType } from '@lis/contract/labels.ts'
import { DateTime } from 'luxon'

/** The data of a requisition that its labels show. */
export interface LabelSource {
  id: number
  firstName: string
  lastName: string
  /** YYYY-MM-DD */
  dob: string
  collectedAt: string
  collectedZone: string
  /** Ordered before the collection: the date is written on the label by hand. */
  isToCollect: boolean
  /** Separated by commas. */
  testCodes: string
  isShowDp: boolean
  cryoFlag: string | null
  cryoPrintNbr: number
}

/** One label: the bar code, a title under it, further lines, and the test codes in smaller type at the bottom. */
export interface Label {
  barCode: string
  title: string
  lines: readonly string[]
  codeLines: readonly string[]
}

/** In inches, the unit of both printers: millimetres would be rounded. */
export const labelSizes: Record<LabelType, { widthInch: number; heightInch: number }> = {
  BARCODE: { widthInch: 2, heightInch: 1 },
  CRYO: { widthInch: 1.28, heightInch: 0.5 },
}

const barCodeCount = 6
const firstLineOfCodes = 9
const codeLinesPerLabel = 4
/** The width of a line of codes, in units of its type size: the same on paper from the browser and from the label printer. */
const codeLineEm = 27

export const labelsOf = (type: LabelType, source: LabelSource, cryoCount = 0): Label[] =>
  type === 'CRYO' ? cryoLabels(source, cryoCount) : barCodeLabels(source)

/** Always six; the fifth is for serum, the sixth for DP where that is ordered. Codes that do not fit go on a further label after each. */
const barCodeLabels = (source: LabelSource): Label[] => {
  const { id } = source
  const collected = source.isToCollect
    ? '__/__/__'
    : DateTime.fromISO(source.collectedAt, { zone: source.collectedZone }).toFormat('MM/dd/yy')
  const parts = chunksOf(splitCodes(source.testCodes), codeLinesPerLabel)
  return Array.from({ length: barCodeCount }, (_, index) => {
    const suffix = index === 4 ? 'S' : index === 5 && source.isShowDp ? 'DP' : ''
    return parts.map((codeLines, part) => {
      const place = parts.length > 1 ? `  ${part + 1}/${parts.length}` : ''
      return {
        barCode: String(id),
        title: `${id}${suffix}`,
        lines: [
          `${source.lastName}, ${source.firstName}`,
          `DOB ${dayOf(source.dob, 'MM/dd/yy')}  Col ${collected}${place}`,
        ],
        codeLines,
      }
    })
  }).flat()
}

/**
 * The first line ends at the last comma within nine characters (LIST-237), each further one where the label does. No code is cut in
 * two and none is left out: joined, the lines are the codes again.
 */
export const splitCodes = (testCodes: string): string[] => {
  const lines: string[] = []
  let line = ''
  for (const code of testCodes.match(/[^,]*,|[^,]+$/g) ?? []) {
    const next = line + code
    const fits = lines.length === 0 ? next.length <= firstLineOfCodes : emWidth(next) <= codeLineEm
    if (line === '' || fits) line = next
    else {
      lines.push(line)
      line = code
    }
  }
  return line === '' ? lines : [...lines, line]
}

const chunksOf = (lines: readonly string[], size: number): string[][] =>
  lines.length === 0
    ? [[]]
    : Array.from({ length: Math.ceil(lines.length / size) }, (_, index) =>
        lines.slice(index * size, (index + 1) * size),
      )

/**
 * The largest width of a text in units of its type size, by the widths of Helvetica Bold, on which the printer's narrower font is
 * modelled. Unknown characters count as wide.
 */
export const emWidth = (text: string): number => [...text].reduce((sum, letter) => sum + letterEm(letter), 0)

const letterEm = (letter: string): number => {
  if (/[,.:;'|!iIjl /()[\]-]/.test(letter)) return 0.34
  if (/[0-9a-ln-vx-zJLF_$#?]/.test(letter)) return 0.62
  if (/[A-HKN-VX-Zw&]/.test(letter)) return 0.78
  return 1
}

/** As many as the requisition says; if it has no number, as many as requested. */
const cryoLabels = ({ id, dob, cryoFlag, cryoPrintNbr }: LabelSource, cryoCount: number): Label[] =>
  Array.from({ length: cryoPrintNbr || cryoCount }, () => ({
    barCode: String(id),
    title: `${id}_${dayOf(dob, 'MMddyy')}${cryoFlag ?? ''}`,
    lines: [],
    codeLines: [],
  }))

const dayOf = (isoDate: string, format: string) => DateTime.fromISO(isoDate).toFormat(format)
