import { messages } from '@lis/contract/messages.ts'
import {
  type HomeOrder,
  type OrderOptions,
  type PortalOrderInput,
  portalOrderMessages,
  portalSource,
} from '@lis/contract/portal-orders.ts'
import { requisitionInput, requisitionLabels } from '@lis/contract/requisitions/create.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { forbidden, invalid, invalidInput, notFound } from '../../platform/errors.ts'
import type { WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { validationMessages } from '../../platform/validation-messages.ts'
import { addIcds } from '../billing/icd-service.ts'
import { copyPreviousInsurance } from '../billing/insurance-service.ts'
import { isClientVisible } from '../clients/queries.ts'
import type { PatientCall } from '../patients/service.ts'
import { createRequisition, findOrderables, findPresets } from '../requisition-entry/create.ts'
import {
  findFirstEvent,
  listKnownInsurances,
  listOrderingClients,
  listOrderingPhysicians,
  listUsualSets,
  type OrderingClient,
} from './queries.ts'

/** The practices of the caller; 403 where the laboratory has opened ordering for none. */
export const requireOrdering = async (db: Db, actor: Actor): Promise<OrderingClient[]> => {
  const clients = await listOrderingClients(db, actor)
  if (clients.length === 0) throw forbidden(portalOrderMessages.notAllowed)
  return clients
}

/** The chosen practice; the only one need not be named. */
const chooseClient = async (
  db: Db,
  actor: Actor,
  wanted: number | null,
): Promise<{ clients: OrderingClient[]; client: OrderingClient | undefined }> => {
  const clients = await requireOrdering(db, actor)
  if (wanted === null) return { clients, client: clients.length === 1 ? clients[0] : undefined }
  const client = clients.find(({ clientId }) => clientId === wanted)
  if (client) return { clients, client }
  throw (await isClientVisible(db, actor, wanted)) ? forbidden(portalOrderMessages.notAllowed) : notFound('Client')
}

export const readOrderOptions = async (db: Db, actor: Actor, wanted: number | null): Promise<OrderOptions> => {
  const { clients, client } = await chooseClient(db, actor, wanted)
  const ids = client ? [client.clientId] : clients.map(({ clientId }) => clientId)
  const [physicians, usualSets, orderables] = await Promise.all([
    client ? listOrderingPhysicians(db, actor, client.clientId) : [],
    listUsualSets(db, actor, ids),
    findOrderables(db),
  ])
  return {
    clients: clients.map(({ clientId, clientName }) => ({ clientId, clientName })),
    clientId: client?.clientId ?? null,
    clientTz: client?.zone ?? null,
    physicians,
    usualSets,
    orderables,
  }
}

export const mayOrder = async (db: Db, actor: Actor) => (await listOrderingClients(db, actor)).length > 0

/** For Home; undefined for a practice that may not order. */
export const readHomeOrder = async (db: Db, actor: Actor): Promise<HomeOrder | undefined> => {
  const clients = await listOrderingClients(db, actor)
  if (clients.length === 0) return undefined
  const ids = clients.map(({ clientId }) => clientId)
  return { usualSets: await listUsualSets(db, actor, ids), link: '/order' }
}

/** An order of a practice, by the rules and the service of the laboratory's own form. */
export const createPortalOrder = async (
  context: PatientCall & WriteCallWithQuestions,
  input: PortalOrderInput,
): Promise<{ id: number }> => {
  const { client } = await chooseClient(context.db, context.actor, input.clientId)
  if (!client) throw invalid('clientId', messages.required(requisitionLabels.clientId))
  const call = { ...context, actor: { ...context.actor, source: portalSource } }
  const { id } = await createRequisition(call, await fillIn(call, input, client), {
    questions: call.questions,
    isToCollect: input.isToCollect === 1,
  })
  if (input.icdIds.length > 0) await addIcds(call, id, { icdIds: input.icdIds, customIcd: null })
  if (input.isInsuranceKnown === 1) await copyInsurances(call, id)
  return { id }
}

/** The input of the laboratory's form, with its presets for this client. */
const fillIn = async ({ db, actor }: PatientCall, input: PortalOrderInput, { clientId }: OrderingClient) => {
  const presets = await findPresets(db, actor, clientId)
  const physicians = await listOrderingPhysicians(db, actor, clientId)
  const only = physicians.length === 1 ? physicians[0]?.orderingClientPhysId : null
  const physician = input.orderingClientPhysId ?? only ?? null
  if (physician !== null && !physicians.some(({ orderingClientPhysId }) => orderingClientPhysId === physician))
    throw invalid('orderingClientPhysId', messages.invalid(requisitionLabels.orderingClientPhysId))
  const parsed = requisitionInput.safeParse(
    {
      ...input,
      clientId,
      orderingClientPhysId: physician,
      colaId: presets.colaId,
      labId: input.labId ?? presets.labId,
      eventId: input.eventId ?? presets.eventId ?? (await findFirstEvent(db, clientId)),
      dateCollected: input.dateCollected ?? new Date().toISOString(),
    },
    validationMessages,
  )
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

const copyInsurances = async (call: PatientCall, id: number) => {
  const { patient_id: patientId } = await call.db
    .selectFrom('requisition')
    .select('patient_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  for (const { billId, insuranceId } of await listKnownInsurances(call.db, call.actor, patientId))
    await copyPreviousInsurance(call, id, { patientId, useBillId: billId, useInsuranceId: insuranceId })
}
