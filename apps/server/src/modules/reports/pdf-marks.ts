import { degrees, PDFDocument, rgb, StandardFonts } from '@cantoo/pdf-lib'
import { AppError } from '../../platform/http/errors.ts'

const red = rgb(0.64, 0.15, 0.11)

const open = async (bytes: Uint8Array) => {
  try {
    return await PDFDocument.load(bytes)
  } catch (error) {
    throw new AppError('invalid', 'This PDF is protected or damaged and cannot be marked', { cause: error })
  }
}

/** An earlier version stays to be had, but nobody can take it for the one that counts. */
export const markSuperseded = async (bytes: Uint8Array, versionNo: number): Promise<Buffer> => {
  const pdf = await open(bytes)
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
  return Buffer.from(await pdf.save())
}

export interface Cover {
  requisitionId: number
  patient: string
  versionNo: number
  reason: string
  changes: readonly string[]
}

/** A corrected file that was made elsewhere gets a first page that says what is different and why. */
export const addCorrectionPage = async (bytes: Uint8Array, cover: Cover): Promise<Buffer> => {
  const pdf = await open(bytes)
  const page = pdf.insertPage(0, [612, 792])
  const bold = await pdf.embedFont(StandardFonts.HelveticaBold)
  const plain = await pdf.embedFont(StandardFonts.Helvetica)
  const write = (text: string, y: number, size: number, font = plain, color = rgb(0.09, 0.13, 0.18)) =>
    page.drawText(latin(text), { x: 48, y, size, font, color, maxWidth: 516, lineHeight: size + 3 })
  write('CORRECTED LABORATORY REPORT', 730, 15, bold, red)
  write(`Accession # ${cover.requisitionId}   ${cover.patient}   Version ${cover.versionNo}`, 706, 10, bold)
  write(`This report replaces version ${cover.versionNo - 1}. Please discard it.`, 684, 10)
  write(`Reason: ${cover.reason}`, 664, 10)
  let y = 620
  for (const change of cover.changes.length > 0 ? cover.changes : ['No value of the record has changed.']) {
    write(`- ${change}`, y, 10)
    y -= 13 * Math.ceil((change.length + 2) / 100) + 3
  }
  return Buffer.from(await pdf.save())
}

const latin = (text: string) => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?')

/** Opens only with the password; printing and copying stay allowed to who has it. */
export const encrypted = async (bytes: Uint8Array, password: string): Promise<Buffer> => {
  const pdf = await open(bytes)
  pdf.encrypt({
    userPassword: password,
    ownerPassword: password,
    permissions: { printing: 'highResolution', copying: true },
  })
  return Buffer.from(await pdf.save({ useObjectStreams: false }))
}
