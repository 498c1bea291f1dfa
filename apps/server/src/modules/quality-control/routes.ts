import { messages } from '@lis/contract/messages.ts'
import { qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { implement, prepared } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { originOf } from '../../platform/identity/origin.ts'
import { listPage } from '../../platform/lists.ts'
import { settleLookbacks } from './lookbacks.ts'
import {
  chartOf,
  listActions,
  listLots,
  listMaterials,
  listPlans,
  listStatistics,
  listTargets,
  runPage,
} from './queries.ts'
import { requireTestOnInstrument } from './references.ts'
import { createAction, createRun, getRun, voidRun } from './runs.ts'
import { createLot, createMaterial, createTarget, proposeTarget, savePlan, updateLot } from './setup.ts'
import { requireOwnPassword, signAction } from './sign-action.ts'
import { lookbackPage, statusList } from './status.ts'

export const qualityControlModule = implement(qualityControlRoutes, {
  materials: async ({ db }) => ({ data: await listMaterials(db), message: '' }),
  createMaterial: async (context) => ({ data: await createMaterial(context, context.body), message: messages.created }),
  lots: async ({ db }) => ({ data: await listLots(db), message: '' }),
  createLot: async (context) => ({ data: await createLot(context, context.body), message: messages.created }),
  updateLot: async (context) => ({
    data: await updateLot(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  targets: async ({ db, query }) => ({ data: await listTargets(db, query), message: '' }),
  proposal: async ({ db, query }) => ({ data: await proposeTarget(db, query), message: '' }),
  createTarget: async (context) => ({ data: await createTarget(context, context.body), message: messages.created }),
  plans: async ({ db, query }) => ({ data: await listPlans(db, query), message: '' }),
  savePlan: async (context) => ({
    data: await savePlan(context, context.body, expectedVersion(context.request)),
    message: messages.saved,
  }),
  runs: ({ db, query }) => runPage(db, query),
  run: async ({ db, params }) => ({ data: await getRun(db, params.id), message: '' }),
  createRun: async (context) => ({ data: await createRun(context, context.body), message: messages.created }),
  voidRun: async (context) => ({
    data: await voidRun(context, context.params.id, context.body.reason),
    message: messages.saved,
  }),
  chart: async ({ db, query }) => chartOf(db, { ...(await requireTestOnInstrument(db, query)), days: query.days }),
  status: ({ db, query }) => listPage(db, statusList(query), query),
  actions: async ({ db, query }) => ({ data: await listActions(db, query), message: '' }),
  createAction: async (context) => ({ data: await createAction(context, context.body), message: messages.created }),
  signAction: prepared(
    async ({ actor, services, request, body }) => requireOwnPassword(services, actor, originOf(request), body.password),
    async (context) => ({ data: await signAction(context, context.params.id), message: messages.saved }),
  ),
  lookbacks: ({ db, query }) => lookbackPage(db, query),
  settle: async (context) => {
    await settleLookbacks(context, context.body)
    return { message: messages.saved }
  },
  statistics: async ({ db, query }) => ({ data: await listStatistics(db, query), message: '' }),
})
