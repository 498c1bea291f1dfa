import { otherFileAdvice } from '@lis/contract/csv-loads.ts'
import { sniff, sniffBytes } from '../../platform/storage/sniff.ts'

/** What is said of a file whose first bytes are those of another kind. */
export const adviceByContent = (head: Buffer): string | undefined => {
  switch (sniff(head.subarray(0, sniffBytes))) {
    case 'csv':
      return undefined
    case 'pdf':
      return otherFileAdvice.pdf
    case 'zip':
      return adviceForZip(head.toString('latin1'))
    case null:
      return binaries.find(({ start }) => head.subarray(0, start.length).equals(Buffer.from(start)))?.advice
    default:
      return otherFileAdvice.image
  }
}

/** The formats of office programs are ZIP files too; the names of their parts are not compressed. */
const adviceForZip = (text: string) => {
  if (/\bxl\//.test(text)) return otherFileAdvice.excel
  return /opendocument\.spreadsheet/.test(text) ? otherFileAdvice.spreadsheet : otherFileAdvice.zip
}

const binaries = [
  { start: [0xd0, 0xcf, 0x11, 0xe0], advice: otherFileAdvice.excel },
  { start: [0x47, 0x49, 0x46, 0x38], advice: otherFileAdvice.image },
  { start: [0x42, 0x4d], advice: otherFileAdvice.image },
  { start: [0x52, 0x49, 0x46, 0x46], advice: otherFileAdvice.image },
]
