import { PDFDocument } from '@cantoo/pdf-lib'
import { AppError } from '../errors.ts'

export const mostPages = 2000

/** Opens a PDF to change it; one that forbids changes but opens without a password is opened too. Runs in a limited process only. */
export const openPdf = async (bytes: Uint8Array): Promise<PDFDocument> => {
  const pdf = await load(bytes)
  if (pdf.getPageCount() > mostPages) throw new AppError('tooLarge', `A PDF may have at most ${mostPages} pages`)
  return pdf
}

const load = async (bytes: Uint8Array) => {
  try {
    return await PDFDocument.load(bytes, { password: '' })
  } catch (error) {
    throw new AppError('invalid', 'This PDF is protected or damaged and cannot be marked', { cause: error })
  }
}
