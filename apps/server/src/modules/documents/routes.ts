import type { DocumentInput } from '@lis/contract/client-records.ts'
import { type DocumentType, documentRoutes } from '@lis/contract/documents.ts'
import { messages } from '@lis/contract/messages.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { implement, type WriteCall } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import { requirePatientInScope, requireRequisition } from '../requisition-record/queries.ts'
import { documentsOfPatient, documentsOfRequisition } from './queries.ts'
import { addDocument, documentUrl, openDocumentUpload, removeDocument } from './service.ts'

interface Registering extends WriteCall {
  params: { id: number }
  body: DocumentInput
  services: Services
}

const register = (type: DocumentType) => async (context: Registering) => ({
  data: await addDocument(context, context.services.store, context.params.id, type, context.body),
  message: messages.uploaded,
})

interface Opening {
  db: Db
  actor: Actor
  params: { id: number; docId: number }
  services: Services
}

const openFile = async ({ db, actor, params, services }: Opening, action: 'VIEW' | 'DOWNLOAD') => {
  const url = await documentUrl({ db, actor }, services.store, params.id, params.docId, action === 'VIEW')
  return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
}

export const documentsModule = implement(documentRoutes, {
  list: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, documentsOfRequisition(actor, params.id), query)
  },
  upload: async (context) => ({
    data: await openDocumentUpload(context, context.services.store, context.params.id, context.body),
    message: '',
  }),
  SCANREQ: register('SCANREQ'),
  INSCARD: register('INSCARD'),
  ADDON: register('ADDON'),
  SCANEOB: register('SCANEOB'),
  SCANINV: register('SCANINV'),
  CHECK: register('CHECK'),
  view: (context) => openFile(context, 'VIEW'),
  download: (context) => openFile(context, 'DOWNLOAD'),
  remove: async (context) => {
    await removeDocument(context, context.params.id, context.params.docId)
    return { message: messages.deleted }
  },
  ofPatient: async ({ db, actor, params, query }) => {
    const patientId = await requirePatientInScope(db, actor, params.id)
    return listPage(db, documentsOfPatient(actor, patientId), query)
  },
})
