import { signOutRoutes } from '@lis/contract/sign-out.ts'
import { implement, prepared } from '../../platform/http/implement.ts'
import { originOf } from '../../platform/identity/origin.ts'
import { sendSigningCode } from '../../platform/identity/signature-components.ts'
import { requireOwnSession } from '../../platform/identity/signer-session.ts'
import { listPage } from '../../platform/lists.ts'
import { makeDossier } from './dossier.ts'
import { countSignedToday, signOutList } from './queries.ts'
import { checkReportNow, getSignatures, getWaitingReport } from './service.ts'
import { requireComponents, requireSigner, signReports } from './sign.ts'

export const signOutModule = implement(signOutRoutes, {
  list: ({ db, actor, query }) => listPage(db, signOutList(actor), query),
  today: async ({ db, actor }) => ({ data: await countSignedToday(db, actor.userId), message: '' }),
  one: async (context) => ({ data: await getWaitingReport(context, context.params.reportId), message: '' }),
  checks: async (context) => ({ data: await checkReportNow(context, context.params.id), message: '' }),
  signatures: async ({ db, actor, params }) => ({ data: await getSignatures(db, actor, params.id), message: '' }),
  sign: prepared(
    async ({ db, actor, services, request, body }) => {
      const grants = await requireSigner(db, actor)
      if (!body.dryRun) await requireComponents(services, actor, originOf(request), body)
      return grants
    },
    async (context, grants) => {
      const data = await signReports(context, context.services, grants, context.body)
      return { data, message: context.body.dryRun ? '' : `${data.signed.length} signed` }
    },
  ),
  dossier: async (context) => ({
    data: await makeDossier(context, context.services, context.params.id),
    message: '',
  }),
  sendCode: async ({ db, actor, services }) => {
    requireOwnSession(actor)
    const { identity, config } = services
    return {
      data: { channel: await sendSigningCode({ secret: config.secret, identity }, db, actor.userName) },
      message: '',
    }
  },
})
