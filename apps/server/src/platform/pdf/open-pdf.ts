import { PDFDocument } from '@cantoo/pdf-lib'
import { AppError } from '../errors.ts'

const maxPages = 2000

/** Opens a PDF for editing, including one that forbids changes but needs no password. Runs in a limited process only. */
export const openPdf = async (bytes: Uint8Array): Promise<PDFDocument> => {
  const pdf = await load(bytes)
  if (pdf.getPageCount() > maxPages) throw new AppError('tooLarge', `A PDF may have at most ${maxPages} pages`)
  return pdf
}

const load = async (bytes: Uint8Array) => {
  try {
    return await PDFDocument.load(bytes, { password: '' })
  } catch (error) {
    throw new AppError('invalid', 'This PDF is protected or damaged and cannot be marked', { cause: error })
  }
}
