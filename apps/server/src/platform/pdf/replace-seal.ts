// Loaded by limited processes only.
import { PDFArray, type PDFDocument, PDFHexString, PDFName, PDFNumber, PDFString } from '@cantoo/pdf-lib'
import { DEFAULT_BYTE_RANGE_PLACEHOLDER, SUBFILTER_ADOBE_PKCS7_DETACHED } from '@signpdf/utils'
import { contentBytes, type SealText, sealField, sealFlags, widgetFlags } from './seal-place.ts'

/** Leaves the place for a seal in a file that was opened. A seal or signature of the original covers other bytes: it does not hold here, and goes. */
export const replaceSealPlace = (pdf: PDFDocument, text: SealText | null) => {
  removeSignatures(pdf)
  if (!text) return
  const { context, catalog } = pdf
  const placeholder = PDFName.of(DEFAULT_BYTE_RANGE_PLACEHOLDER)
  const range = PDFArray.withContext(context)
  for (const part of [PDFNumber.of(0), placeholder, placeholder, placeholder]) range.push(part)
  const signature = context.register(
    context.obj({
      Type: 'Sig',
      Filter: 'Adobe.PPKLite',
      SubFilter: SUBFILTER_ADOBE_PKCS7_DETACHED,
      ByteRange: range,
      Contents: PDFHexString.of('0'.repeat(contentBytes * 2)),
      Reason: PDFString.of(text.reason),
      M: PDFString.fromDate(text.at),
      Name: PDFString.of(text.name),
    }),
  )
  const page = pdf.getPage(0)
  const field = context.register(
    context.obj({
      Type: 'Annot',
      Subtype: 'Widget',
      FT: 'Sig',
      Rect: [0, 0, 0, 0],
      V: signature,
      T: PDFString.of(sealField),
      F: widgetFlags,
      P: page.ref,
    }),
  )
  page.node.addAnnot(field)
  const form = catalog.getOrCreateAcroForm()
  form.addField(field)
  form.dict.set(PDFName.of('SigFlags'), PDFNumber.of(sealFlags))
}

const removeSignatures = (pdf: PDFDocument) => {
  if (!pdf.catalog.getAcroForm()) return
  const form = pdf.getForm()
  for (const field of form.getFields()) if (field.constructor.name === 'PDFSignature') form.removeField(field)
  pdf.catalog.getAcroForm()?.dict.delete(PDFName.of('SigFlags'))
}
