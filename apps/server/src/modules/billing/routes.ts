import { billingRoutes } from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import { paymentRoutes } from '@lis/contract/payments.ts'
import { implement, type WriteCall } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { requirePatientInScope, requireRequisition } from '../requisition-record/queries.ts'
import { addIcds, removeIcds } from './icd-service.ts'
import { addInsurance, copyPreviousInsurance, removeInsurance, saveInsurance } from './insurance-service.ts'
import { addPayment, paymentList, readAccount, readCharges, removePayments } from './payment-service.ts'
import { listIcds, listInsurances, listNotes, listPreviousIcds, listPreviousInsurances } from './queries.ts'
import { addNote, readBilling, removeNotes, saveBilling } from './service.ts'

/** These lists are short, so they are not paged. */
const unpaged = <Row>(data: Row[]) => ({ data, total: data.length, message: '' })

type Remove = (call: WriteCall, requisitionId: number, ids: readonly number[]) => Promise<void>

const removeOne = (remove: Remove) => async (context: WriteCall & { params: { id: number; recordId: number } }) => {
  await remove(context, context.params.id, [context.params.recordId])
  return { message: messages.deleted }
}
const removeMany =
  (remove: Remove) => async (context: WriteCall & { params: { id: number }; query: { id: number[] } }) => {
    await remove(context, context.params.id, context.query.id)
    return { message: messages.deleted }
  }

export const billingModule = implement(billingRoutes, {
  billings: async ({ db, actor, params }) => unpaged([await readBilling(db, actor, params)]),
  saveBilling: async (context) => ({
    data: await saveBilling(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),

  insurances: async ({ db, actor, params }) => {
    const { billId } = await readBilling(db, actor, params)
    return unpaged(await listInsurances(db, billId))
  },
  addInsurance: async (context) => ({
    data: await addInsurance(context, context.params, context.body),
    message: messages.created,
  }),
  saveInsurance: async (context) => ({
    data: await saveInsurance(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  removeInsurance: async (context) => {
    await removeInsurance(context, context.params)
    return { message: messages.deleted }
  },
  previousInsurances: async ({ db, actor, params }) => {
    const patientId = await requirePatientInScope(db, actor, params.id)
    return unpaged(await listPreviousInsurances(db, actor, patientId))
  },
  usePrevious: async (context) => ({
    data: await copyPreviousInsurance(context, context.params.id, context.body),
    message: messages.created,
  }),

  icds: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return unpaged(await listIcds(db, params.id))
  },
  previousIcds: async ({ db, actor, params }) =>
    unpaged(await listPreviousIcds(db, actor, await requireRequisition(db, actor, params.id))),
  addIcds: async (context) => {
    await addIcds(context, context.params.id, context.body)
    return { message: messages.saved }
  },
  removeIcd: removeOne(removeIcds),
  removeIcds: removeMany(removeIcds),

  notes: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return unpaged(await listNotes(db, params.id))
  },
  addNote: async (context) => ({
    data: await addNote(context, context.params.id, context.body.note),
    message: messages.created,
  }),
  removeNote: removeOne(removeNotes),
  removeNotes: removeMany(removeNotes),
})

export const paymentsModule = implement(paymentRoutes, {
  list: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    const { charged } = await readCharges(db, params.id)
    return listPage(db, paymentList(params.id, charged), query)
  },
  account: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await readAccount(db, params.id), message: '' }
  },
  add: async (context) => ({
    data: await addPayment(context, context.params.id, context.body),
    message: messages.created,
  }),
  remove: removeOne(removePayments),
  removeMany: removeMany(removePayments),
})
