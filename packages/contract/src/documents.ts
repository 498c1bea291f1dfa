import { z } from 'zod'
import type { Permission } from './access/permissions.ts'
import { can } from './access/permissions.ts'
import type { Role } from './access/roles.ts'
import { documentInput, documentSlot } from './client-records.ts'
import { done, download, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'

/** Document types of a requisition: the section's title, the call that registers a document, and who sees the section. */
export const documentTypes = {
  SCANREQ: { label: 'Scanned Requisition', path: 'scanreqs', needs: null },
  INSCARD: { label: 'Insurance card', path: 'inscards', needs: 'documents.insuranceCard' },
  ADDON: { label: 'Add-On Document', path: 'addons', needs: 'documents.addOn' },
  SCANEOB: { label: 'Scanned EOB', path: 'scaneobs', needs: 'documents.scannedEob' },
  SCANINV: { label: 'Scanned Invoice', path: 'scaninvoices', needs: 'documents.scannedInvoice' },
  CHECK: { label: 'Received Check', path: 'checks', needs: 'documents.receivedCheck' },
} as const satisfies Record<string, { label: string; path: string; needs: Permission | null }>
export type DocumentType = keyof typeof documentTypes
const codes = Object.keys(documentTypes) as DocumentType[]

/** The sections visible to a role. */
export const documentTypesFor = (role: Role): DocumentType[] =>
  codes.filter((code) => {
    const { needs } = documentTypes[code]
    return can(role, 'documents.list') && (needs === null || can(role, needs))
  })

const id = z.number().int()

const requisitionDocument = z.object({
  id,
  /** The requisition it belongs to; a patient's documents come from several. */
  reqId: id,
  docTypeCode: z.string(),
  docCreateDate: z.iso.datetime({ offset: true }),
  docOriginalFileName: z.string(),
  docCreateByName: z.string().nullable(),
})
export type RequisitionDocument = z.infer<typeof requisitionDocument>

const listed = listQuery({
  sort: ['id', 'docCreateDate', 'docOriginalFileName'],
  filter: ['docTypeCode'],
  defaultPerPage: -1,
})
const ofDocument = byId.extend({ docId: idParam })
const register = (type: DocumentType) =>
  post(`requisitions/:id/${documentTypes[type].path}`, {
    access: 'documents.upload',
    params: byId,
    body: documentInput,
    reply: newId,
  })

export const documentRoutes = {
  list: get('requisitions/:id/docs', {
    access: 'documents.list',
    params: byId,
    query: listed,
    reply: page(requisitionDocument),
  }),
  upload: post('requisitions/:id/upload', {
    access: 'documents.upload',
    summary: 'A slot for one file; the file is then posted to `url`, and registered by the call of its type',
    params: byId,
    body: z.object({
      fileName: z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255),
      docTypeCode: z.enum([...codes, 'REPORT'], { error: messages.invalid('Document type') }),
    }),
    reply: one(documentSlot),
  }),
  SCANREQ: register('SCANREQ'),
  INSCARD: register('INSCARD'),
  ADDON: register('ADDON'),
  SCANEOB: register('SCANEOB'),
  SCANINV: register('SCANINV'),
  CHECK: register('CHECK'),
  view: get('requisitions/:id/docs/:docId/view', {
    access: 'documents.section',
    summary: 'A URL of the file; valid for five minutes',
    params: ofDocument,
    reply: download,
  }),
  download: get('requisitions/:id/download_docs/:docId', {
    access: 'documents.section',
    params: ofDocument,
    reply: download,
  }),
  remove: del('requisitions/:id/docs/:docId', { access: 'documents.delete', params: ofDocument, reply: done }),
  ofPatient: get('patients/:id/docs', {
    access: 'requisitionTabs.patientHistory',
    summary: "The documents of all the patient's requisitions in the user's scope",
    params: byId,
    query: listed,
    reply: page(requisitionDocument),
  }),
}
