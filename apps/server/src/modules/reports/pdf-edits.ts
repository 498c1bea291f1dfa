// Loaded by limited processes only, see `pdf-copies.ts`.
import { degrees, PDFDocument, PDFName, rgb, StandardFonts } from '@cantoo/pdf-lib'
import { openPdf as open } from '../../platform/pdf/open-pdf.ts'
import { replaceSealPlace } from '../../platform/pdf/replace-seal.ts'
import type { SealText } from '../../platform/pdf/seal-place.ts'
import { type Cover, renderCover } from './report-pdf.ts'

const red = rgb(0.64, 0.15, 0.11)

/** So that nobody mistakes an earlier version for the current one. */
export const markSuperseded = async (
  bytes: Uint8Array,
  versionNo: number,
  sealText: SealText | null,
): Promise<Buffer> => {
  const pdf = await open(bytes)
  replaceSealPlace(pdf, sealText)
  const font = await pdf.embedFont(StandardFonts.HelveticaBold)
  for (const page of pdf.getPages()) {
    const { width, height } = page.getSize()
    page.drawText(`SUPERSEDED: version ${versionNo} has been replaced by a corrected report`, {
      x: 40,
      y: height - 24,
      size: 11,
      font,
      color: red,
    })
    page.drawText('SUPERSEDED', {
      x: width * 0.16,
      y: height * 0.28,
      size: width / 9,
      font,
      color: red,
      opacity: 0.18,
      rotate: degrees(45),
    })
  }
  return Buffer.from(await pdf.save({ useObjectStreams: sealText === null }))
}

/** Adds a first page with the changes and the reason to a corrected file made elsewhere. */
export const addCorrectionPage = async (bytes: Uint8Array, cover: Cover): Promise<Buffer> => {
  const pdf = await open(bytes)
  const front = await PDFDocument.load(await renderCover(cover))
  const pages = await pdf.copyPages(front, front.getPageIndices())
  pages.forEach((page, index) => {
    pdf.insertPage(index, page)
  })
  return Buffer.from(await pdf.save())
}

/** Requires the password to open; printing and copying stay allowed. */
export const encrypt = async (bytes: Uint8Array, password: string): Promise<Buffer> => {
  const pdf = await open(bytes)
  replaceSealPlace(pdf, null)
  pdf.encrypt({
    userPassword: password,
    ownerPassword: password,
    permissions: { printing: 'highResolution', copying: true },
  })
  // Texts outside of streams would not be encrypted by the library, and a reader would turn them into others. The catalog always is.
  const language = pdf.catalog.get(PDFName.of('Lang'))
  if (language) pdf.catalog.set(PDFName.of('Lang'), pdf.context.register(language))
  return Buffer.from(await pdf.save())
}
