import type { LabelType } from '@lis/contract/labels.ts'
import { type Label, labelSizes } from './label.ts'

/** The usual resolution of Zebra desktop printers. */
const dotsPerInch = 203

const layouts: Record<LabelType, { barHeight: number; module: number; titleSize: number; lineSize: number }> = {
  BARCODE: { barHeight: 62, module: 3, titleSize: 28, lineSize: 21 },
  CRYO: { barHeight: 45, module: 2, titleSize: 22, lineSize: 18 },
}
const margin = 12

/** The labels in the language of Zebra printers, which draw text and bars themselves. */
export const labelsAsZpl = (type: LabelType, labels: readonly Label[]): string =>
  labels.map((label) => oneLabel(type, label)).join('')

const oneLabel = (type: LabelType, { barCode, title, lines }: Label): string => {
  const { widthInch, heightInch } = labelSizes[type]
  const { barHeight, module, titleSize, lineSize } = layouts[type]
  const top = margin + barHeight + 6
  return [
    '^XA^CI28',
    `^PW${Math.round(widthInch * dotsPerInch)}^LL${Math.round(heightInch * dotsPerInch)}^LH0,0`,
    `^FO${margin + 20},${margin}^BY${module}^BCN,${barHeight},N,N,N,A^FD${barCode}^FS`,
    field(title, top, titleSize),
    ...lines.map((line, index) => field(line, top + titleSize + 2 + index * lineSize, lineSize)),
    '^XZ\n',
  ].join('\n')
}

const field = (text: string, y: number, size: number) =>
  `^FO${margin},${y}^A0N,${size},${size}^FH_^FD${escaped(text)}^FS`

/** A name must not be read as a command: its signs, and the sign of the escape itself, travel as numbers. */
const escaped = (text: string) => text.replace(/[\^~_]/g, (sign) => `_${sign.charCodeAt(0).toString(16).toUpperCase()}`)
