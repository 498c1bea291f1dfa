import type { LabelType } from '@lis/contract/labels.ts'
import { DateTime } from 'luxon'

/** What a label says of a requisition. */
export interface LabelSource {
  id: number
  firstName: string
  lastName: string
  /** YYYY-MM-DD */
  dob: string
  collectedAt: string
  collectedZone: string
  /** Separated by commas. */
  testCodes: string
  isShowDp: boolean
  cryoFlag: string | null
  cryoPrintNbr: number
}

/** One label: bars, the line under them, and what stands below. */
export interface Label {
  barCode: string
  title: string
  lines: readonly string[]
}

/** Millimetres would be rounded: both printers think in inches. */
export const labelSizes: Record<LabelType, { widthInch: number; heightInch: number }> = {
  BARCODE: { widthInch: 2, heightInch: 1 },
  CRYO: { widthInch: 1.28, heightInch: 0.5 },
}

const barCodeCount = 6
const firstLineOfCodes = 9

export const labelsOf = (type: LabelType, source: LabelSource, cryoCount = 0): Label[] =>
  type === 'CRYO' ? cryoLabels(source, cryoCount) : barCodeLabels(source)

/** Always six; the fifth is for serum, the sixth for DP where that is ordered. */
const barCodeLabels = (source: LabelSource): Label[] => {
  const { id, testCodes } = source
  const collected = DateTime.fromISO(source.collectedAt, { zone: source.collectedZone }).toFormat('MM/dd/yy')
  const lines = [
    `${source.lastName}, ${source.firstName}`,
    `DOB ${dayOf(source.dob, 'MM/dd/yy')}  Col ${collected}`,
    testCodes.slice(0, firstLineOfCodes),
    testCodes.slice(firstLineOfCodes),
  ].filter((line) => line !== '')
  return Array.from({ length: barCodeCount }, (_, index) => {
    const suffix = index === 4 ? 'S' : index === 5 && source.isShowDp ? 'DP' : ''
    return { barCode: String(id), title: `${id}${suffix}`, lines }
  })
}

/** As many as the requisition says; of one that says nothing, as many as are asked for. */
const cryoLabels = ({ id, dob, cryoFlag, cryoPrintNbr }: LabelSource, cryoCount: number): Label[] =>
  Array.from({ length: cryoPrintNbr || cryoCount }, () => ({
    barCode: String(id),
    title: `${id}_${dayOf(dob, 'MMddyy')}${cryoFlag ?? ''}`,
    lines: [],
  }))

const dayOf = (isoDate: string, format: string) => DateTime.fromISO(isoDate).toFormat(format)
