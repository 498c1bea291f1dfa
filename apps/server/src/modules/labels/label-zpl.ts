import type { LabelType } from '@lis/contract/labels.ts'
import { emWidth, type Label, labelSizes } from './label.ts'

/** The usual resolution of Zebra desktop printers. */
const dotsPerInch = 203

const layouts: Record<
  LabelType,
  { barHeight: number; module: number; titleSize: number; lineSize: number; codeSize: number }
> = {
  BARCODE: { barHeight: 62, module: 3, titleSize: 26, lineSize: 19, codeSize: 14 },
  CRYO: { barHeight: 45, module: 2, titleSize: 22, lineSize: 18, codeSize: 14 },
}
const margin = 12
/** Narrower letters cannot be read. */
const narrowest = 9

/** The labels in the language of Zebra printers, which draw text and bars themselves. */
export const labelsAsZpl = (type: LabelType, labels: readonly Label[]): string =>
  labels.map((label) => oneLabel(type, label)).join('')

const oneLabel = (type: LabelType, { barCode, title, lines, codeLines }: Label): string => {
  const { widthInch, heightInch } = labelSizes[type]
  const { barHeight, module, titleSize, lineSize, codeSize } = layouts[type]
  const width = Math.round(widthInch * dotsPerInch)
  let y = margin + barHeight + 4
  const field = (text: string, size: number) => {
    const at = y
    y += size
    const [fitting, letterWidth] = fitted(text, size, width - 2 * margin)
    return `^FO${margin},${at}^A0N,${size},${letterWidth}^FH_^FD${escaped(fitting)}^FS`
  }
  return [
    '^XA^CI28',
    `^PW${width}^LL${Math.round(heightInch * dotsPerInch)}^LH0,0`,
    `^FO${margin + 20},${margin}^BY${module}^BCN,${barHeight},N,N,N,A^FD${barCode}^FS`,
    field(title, titleSize),
    ...lines.map((line) => field(line, lineSize)),
    ...codeLines.map((line) => field(line, codeSize)),
    '^XZ\n',
  ].join('\n')
}

/** The printer does not wrap: a text that is too long is set in narrower letters, and only one that is far too long is cut. */
const fitted = (text: string, size: number, available: number): [text: string, letterWidth: number] => {
  const letterWidth = Math.min(size, Math.max(narrowest, Math.floor(available / emWidth(text))))
  if (emWidth(text) * letterWidth <= available) return [text, letterWidth]
  const letters = [...text]
  while (emWidth(`${letters.join('')}...`) * letterWidth > available) letters.pop()
  return [`${letters.join('')}...`, letterWidth]
}

/** Text must not be read as a command: command characters and the escape character are sent as hexadecimal numbers. */
const escaped = (text: string) => text.replace(/[\^~_]/g, (sign) => `_${sign.charCodeAt(0).toString(16).toUpperCase()}`)
