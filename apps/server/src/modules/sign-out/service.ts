import { randomUUID } from 'node:crypto'
import {
  type MeaningCode,
  type ReportCheckResult,
  type ReportSignature,
  signatureMeanings,
  type WaitingReportDetail,
} from '@lis/contract/sign-out.ts'
import { DateTime } from 'luxon'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { notFound } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { drawUnsigned, planRelease, type ReleasePlan } from '../reports/release.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { findReport, findWaiting, isCodeNeeded, listSignatures } from './queries.ts'

interface ReadCall {
  db: Db
  actor: Actor
  services: Services
  requestId: string
}

const getReport = async (db: Db, actor: Actor, id: number) => {
  const report = await findReport(db, id)
  if (!report) throw notFound('Report')
  await requireRequisition(db, actor, report.requisition_id).catch(() => {
    throw notFound('Report')
  })
  return report
}

/** A report that waits for a signature: the page as it will be signed, its hash, and what to look at. */
export const getWaitingReport = async (
  { db, actor, services, requestId }: ReadCall,
  id: number,
): Promise<WaitingReportDetail> => {
  const waiting = await findWaiting(db, actor, id)
  if (!waiting) throw notFound('Report')
  const plan = await planRelease(db, await getReport(db, actor, id), { isToShow: true })
  services.accessLog.note(requestId, { reqIds: [plan.requisitionId] })
  return {
    ...waiting,
    url: await urlOf({ db, actor, services }, plan),
    contentSha256: plan.contentSha256,
    checks: plan.checks,
    previous: plan.content.results.map(({ code, name, earlier = [] }) => ({
      testCode: code,
      testDesc: name,
      values: earlier.map(({ at, value }) => ({ collectedDate: at, value })),
    })),
    labName: plan.labName,
    meaningCodes: meaningsOf(plan.versionNo),
    isCodeNeeded: (await isCodeNeeded(db, actor.sessionId)) ? 1 : 0,
  }
}

/** A corrected version accepts only the meaning AMEND. */
export const meaningsOf = (versionNo: number): MeaningCode[] =>
  versionNo > 1 ? ['AMEND'] : ['REVIEW', 'APPROVE', 'INTERPRET']

const urlOf = async ({ db, actor, services }: Omit<ReadCall, 'requestId'>, plan: ReleasePlan): Promise<string> => {
  const { store } = services
  const options = {
    fileName: plan.file.originalName,
    contentType: 'application/pdf',
    inline: true,
    expiresSeconds: downloadSeconds,
  }
  if (!plan.isMadeHere || plan.isFixed)
    return store.downloadUrl(plan.file.key, { ...options, sha256: plan.file.sha256 })
  const key = `exports/${randomUUID()}.pdf`
  const body = await drawUnsigned(db, services, plan)
  await db
    .transaction()
    .execute((trx) =>
      registerTemporaryObject(trx, { key, sessionId: actor.sessionId, purpose: 'download', seconds: 3600 }),
    )
  const { sha256 } = await store.put(key, body, 'application/pdf')
  return store.downloadUrl(key, { ...options, sha256 })
}

export const checkReportNow = async (
  { db, actor, services, requestId }: ReadCall,
  id: number,
): Promise<ReportCheckResult[]> => {
  const { checks, requisitionId } = await planRelease(db, await getReport(db, actor, id), { isToShow: true })
  services.accessLog.note(requestId, { reqIds: [requisitionId] })
  return checks
}

/** With the offset of the zone it was signed in. */
export const withOffset = (at: string, zone: string): string => DateTime.fromISO(at, { zone }).toISO() as string

export const getSignatures = async (db: Db, actor: Actor, id: number): Promise<ReportSignature[]> => {
  await getReport(db, actor, id)
  return (await listSignatures(db, id)).map(({ signedAt, meaningCode, ...signature }) => ({
    ...signature,
    meaningCode: meaningCode as MeaningCode,
    meaningDesc: signatureMeanings[meaningCode as MeaningCode],
    signedDate: withOffset(signedAt, signature.signedTz),
    signatureState: signature.voidDate === null ? ('VALID' as const) : ('VOID' as const),
  }))
}
