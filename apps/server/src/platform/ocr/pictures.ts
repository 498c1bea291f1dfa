import { PDFiumLibrary } from '@hyzyla/pdfium'
import sharp, { type Sharp } from 'sharp'
import { AppError } from '../errors.ts'
import type { FileKind } from '../storage/sniff.ts'

// One core and no memory for later: the process works on one file.
sharp.concurrency(1)
sharp.cache(false)

/** Eleven inches at 240 dots an inch: what letters of ten points are read at in the least time. */
const pageHeight = 2640
const maxPixels = 60_000_000

/** The pages of a scan as grey pictures of a size that letters are read at. More pages than allowed are refused. */
export const picturesOf = async (
  bytes: Uint8Array,
  kind: FileKind,
  { maxPages }: { maxPages: number },
): Promise<{ count: number; page: (index: number) => Promise<Buffer> }> => {
  if (kind === 'pdf') return pagesOfPdf(bytes, maxPages)
  const {
    pages: count = 1,
    width,
    height,
  } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata().catch(damaged)
  if (!width || !height) throw damaged()
  requireFew(count, maxPages)
  return {
    count,
    page: (page) =>
      toGrey(sharp(bytes, { page, limitInputPixels: maxPixels, failOn: 'truncated' }).autoOrient()).catch(damaged),
  }
}

const pagesOfPdf = async (bytes: Uint8Array, maxPages: number) => {
  const library = await PDFiumLibrary.init()
  const pdf = await library.loadDocument(bytes).catch(damaged)
  const count = pdf.getPageCount()
  if (count === 0) throw damaged()
  requireFew(count, maxPages)
  const page = async (index: number) => {
    const sheet = pdf.getPage(index)
    const { originalHeight: height, originalWidth: width } = sheet.getOriginalSize()
    const scale = pageHeight / Math.max(height, width, 1)
    const { data, ...size } = await sheet.render({ scale, render: 'bitmap' }).catch(damaged)
    return toGrey(sharp(Buffer.from(data), { raw: { width: size.width, height: size.height, channels: 4 } }))
  }
  return { count, page }
}

const toGrey = (picture: Sharp) =>
  picture
    .flatten({ background: '#fff' })
    .greyscale()
    .resize({ width: pageHeight, height: pageHeight, fit: 'inside' })
    .withMetadata({ density: 240 })
    .png({ compressionLevel: 1 })
    .toBuffer()

const requireFew = (count: number, most: number) => {
  if (count > most) throw new AppError('tooLarge', `The file has ${count} pages; at most ${most} can be read`)
}

const damaged = (): never => {
  throw new AppError('invalid', 'The file is damaged or protected and cannot be read')
}
