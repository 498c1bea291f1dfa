/** The type of a file by its first bytes, not by its name. */
export type FileKind = 'pdf' | 'png' | 'jpeg' | 'tiff' | 'zip' | 'csv'

export const contentTypes: Record<FileKind, string> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  tiff: 'image/tiff',
  zip: 'application/zip',
  csv: 'text/csv; charset=utf-8',
}

/** How many bytes `sniff` needs. */
export const sniffBytes = 4096

const magic: [FileKind, number[]][] = [
  ['png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['jpeg', [0xff, 0xd8, 0xff]],
  ['tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['tiff', [0x4d, 0x4d, 0x00, 0x2a]],
  ['tiff', [0x49, 0x49, 0x2b, 0x00]],
  ['tiff', [0x4d, 0x4d, 0x00, 0x2b]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
]

export const sniff = (head: Buffer): FileKind | null => {
  const known = magic.find(([, bytes]) => head.subarray(0, bytes.length).equals(Buffer.from(bytes)))
  if (known) return known[0]
  // Some writers put a byte order mark or a line break before the PDF header, and every reader accepts it.
  if (/^(?:\xef\xbb\xbf)?\s*%PDF-\d/.test(head.subarray(0, 64).toString('latin1'))) return 'pdf'
  return isText(head) ? 'csv' : null
}

/** Recognizes UTF-16 ('Unicode text' of a spreadsheet) by its byte order mark. */
export const detectUtf16 = (head: Buffer): 'utf-16le' | 'utf-16be' | null => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null
}

/** Text in UTF-16 or any 8-bit code page, since spreadsheets still write Windows-1252. A control character makes it binary. */
const isText = (head: Buffer): boolean => {
  const wide = detectUtf16(head)
  const codes = wide ? [...new TextDecoder(wide).decode(head)].map((letter) => letter.codePointAt(0) as number) : head
  return codes.length > 0 && codes.every(isPrintable)
}

const isPrintable = (code: number) =>
  (code >= 0x20 && code !== 0x7f) || code === 0x09 || code === 0x0a || code === 0x0d || code === 0x0c
