import { DEFAULT_BYTE_RANGE_PLACEHOLDER, SIG_FLAGS, SUBFILTER_ADOBE_PKCS7_DETACHED } from '@signpdf/utils'

/** Enough for a chain of certificates and a time stamp. */
export const contentBytes = 16_384
/** The name of our seal among the form fields of a file. */
export const sealField = 'Seal'
export const sealFlags = SIG_FLAGS.SIGNATURES_EXIST | SIG_FLAGS.APPEND_ONLY
/** Hidden, and printed nowhere. */
export const widgetFlags = 132

export interface SealText {
  reason: string
  name: string
  at: Date
}

/** pdfkit writes dictionaries of these; its types do not name them. */
interface Reference {
  data: Record<string, unknown>
  end: () => void
}
type Document = PDFKit.PDFDocument & {
  ref: (data: object) => Reference
  page: { dictionary: Reference }
  _root: Reference
  _acroform: object
}

/** Leaves the place for a seal in a file that pdfkit writes; it is invisible on the page. */
export const addSealPlace = (page: PDFKit.PDFDocument, { reason, name, at }: SealText) => {
  const pdf = page as Document
  const signature = pdf.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: SUBFILTER_ADOBE_PKCS7_DETACHED,
    ByteRange: [0, DEFAULT_BYTE_RANGE_PLACEHOLDER, DEFAULT_BYTE_RANGE_PLACEHOLDER, DEFAULT_BYTE_RANGE_PLACEHOLDER],
    Contents: Buffer.alloc(contentBytes),
    Reason: Object(reason),
    M: at,
    Name: Object(name),
  })
  const field = pdf.ref({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    Rect: [0, 0, 0, 0],
    V: signature,
    T: Object(sealField),
    F: widgetFlags,
    P: pdf.page.dictionary,
  })
  pdf.page.dictionary.data.Annots = [field]
  // Not by `initForm`, which names a font that is not embedded, and lets a reader change the file to draw the fields.
  pdf._acroform = { fonts: {}, defaultFont: 'none' }
  pdf._root.data.AcroForm = pdf.ref({ Fields: [field], SigFlags: sealFlags, DR: { Font: {} } })
  signature.end()
  field.end()
}
