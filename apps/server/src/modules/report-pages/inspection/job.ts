import { messages } from '@lis/contract/messages.ts'
import { type InspectionPackInput, reportPageLabels } from '@lis/contract/reports-pages.ts'
import { z } from 'zod'
import { recordAudit } from '../../../platform/audit/record.ts'
import { requireRequester } from '../../../platform/auth/requester.ts'
import type { Db } from '../../../platform/db/db.ts'
import { invalid } from '../../../platform/errors.ts'
import type { WriteCall } from '../../../platform/http/implement.ts'
import { defineJob } from '../../../platform/jobs/definition.ts'
import { startJob } from '../../../platform/jobs/start-job.ts'
import { storeZip } from '../file.ts'
import { makePack } from './pack.ts'
import type { Inspection } from './queries.ts'

/** The result of the job: the stored file. */
export const packJobResult = z.object({ key: z.string(), sha256: z.string(), fileName: z.string() })

const findInspection = async (
  db: Db,
  { labId, fromDate: from, toDate: to }: InspectionPackInput,
): Promise<Inspection> => {
  const lab = await db
    .selectFrom('lab')
    .select(['name', 'zone'])
    .where('id', '=', labId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!lab) throw invalid('labId', messages.invalid(reportPageLabels.labId))
  return { labId, labName: lab.name, zone: lab.zone, from, to }
}

/** Starts the pack. A second request while it is being made returns the same job. */
export const orderPack = async ({ db, actor }: WriteCall, input: InspectionPackInput): Promise<{ jobId: string }> => {
  const { labId, from, to } = await findInspection(db, input)
  const { id } = await startJob(
    db,
    makePackJob,
    { ...input, sessionId: actor.sessionId },
    { userId: actor.userId, singletonKey: `${actor.sessionId} ${labId} ${from} ${to}` },
  )
  return { jobId: id }
}

/** Runs with the requester's role at the time it runs; the file belongs to the session that asked, like every export. */
export const makePackJob = defineJob<InspectionPackInput & { sessionId: string }>({
  kind: 'inspection-packs.make',
  maxSeconds: 1800,
  run: async ({ id, services, userId, progress }, { sessionId, ...input }) => {
    await progress(0, 2, 'Reading')
    const requester = await requireRequester(services, userId, 'inspectionPacks.make')
    const actor = { ...requester, sessionId }
    const db = services.fileDatabases(actor.scope)
    const inspection = await findInspection(db, input)
    const { entries, manifestSha256, reqIds } = await makePack(services, actor, inspection)
    await progress(1, 2, 'Storing')
    const stored = await db.transaction().execute(async (trx) => {
      const fileName = `inspection-pack-${inspection.labId}-${inspection.from}-${inspection.to}.zip`
      const kept = await storeZip(trx, actor, services, { fileName, entries })
      await recordAudit(trx, actor, id, {
        entity: 'lab',
        entityId: inspection.labId,
        action: 'DOWNLOAD',
        new: { callSource: 'inspection_pack', fromDate: inspection.from, toDate: inspection.to, manifestSha256 },
      })
      return kept
    })
    services.accessLog.record({ actor, requestId: id, method: 'JOB', route: 'inspection_packs' }, { reqIds })
    await progress(2, 2, 'Ready')
    return stored satisfies z.infer<typeof packJobResult>
  },
})
