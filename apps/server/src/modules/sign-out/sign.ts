import type { MeaningCode, SignInput, SignOutcome } from '@lis/contract/sign-out.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { announce } from '../../platform/domain-events.ts'
import { AppError, conflict, forbidden } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { Questions } from '../../platform/http/questions.ts'
import type { Origin } from '../../platform/identity/origin.ts'
import { requireCode, requirePassword } from '../../platform/identity/signature-components.ts'
import { endLockedSigner, requireOwnSession } from '../../platform/identity/signer-session.ts'
import type { Services } from '../../platform/services.ts'
import { raiseIssue } from '../issues/service.ts'
import { failedChecks, failureText } from '../reports/checks.ts'
import {
  listValidSignatures,
  makeReleasedFile,
  planRelease,
  type ReleasePlan,
  releasing,
  type ValidSignature,
} from '../reports/release.ts'
import { lockReport, setLabQc } from '../reports/service.ts'
import { lockRequisition, selectRequisitionLabel } from '../requisition-record/queries.ts'
import { findReport, type Grant, isCodeNeeded, listGrants, markSigned } from './queries.ts'
import { meaningsOf, withOffset } from './service.ts'

/** A user in their own session, with a right to sign. An API client never signs. */
export const requireSigner = async (db: Db, actor: Actor): Promise<Grant[]> => {
  requireOwnSession(actor)
  const { userId } = actor
  const grants = await listGrants(db, userId)
  if (grants.length === 0) throw forbidden('You have no right to sign reports')
  return grants
}

/** Checks the components of the signature, outside of any transaction: a refusal must not roll back the count of wrong attempts. */
export const requireComponents = async (
  services: Services,
  actor: Actor,
  origin: Origin,
  { password, code, reports }: SignInput,
) => {
  const db = services.databases(systemScope)
  const context = { db, secret: services.config.secret, identity: services.identity }
  const signer = { userName: actor.userName, origin }
  try {
    await requirePassword(context, signer, password)
    if (await isCodeNeeded(db, actor.sessionId)) await requireCode(context, signer, { password: password ?? '', code })
  } catch (error) {
    if (error instanceof AppError && error.code === 'locked') await endAndTell(services, actor, reports[0]?.id)
    throw error
  }
}

/** Then an issue is raised, so that the report is not forgotten. */
const endAndTell = (services: Services, actor: Actor, reportId: number | undefined) =>
  endLockedSigner(services, actor, {
    what: 'a report',
    also: async (trx, issueNote) => {
      const report = reportId === undefined ? undefined : await findReport(trx, reportId)
      if (report)
        await raiseIssue(trx, report.requisition_id, 'SIGNLOCKED', { by: 'Sign-out', issueNote, isSeparate: true })
    },
  })

interface Signing {
  write: WriteCall
  services: Services
  grants: readonly Grant[]
  meaningCode: MeaningCode
}

type Asked = SignInput['reports'][number]

/** Signs each report that can be signed, and returns the reasons for the others. A dry run returns the same and changes nothing. */
export const signReports = async (
  write: WriteCall,
  services: Services,
  grants: readonly Grant[],
  { reports, meaningCode, dryRun }: SignInput,
): Promise<SignOutcome> => {
  const signing: Signing = { write, services, grants, meaningCode }
  const outcome: SignOutcome = { signed: [], refused: [] }
  // In a fixed order, so that two batches cannot deadlock.
  const asked = [...new Map(reports.map((one) => [one.id, one])).values()].sort((one, other) => one.id - other.id)
  for (const one of asked) {
    const refused = await signOne(signing, one, dryRun)
    if (refused) outcome.refused.push(refused)
    else outcome.signed.push(one.id)
  }
  if (outcome.signed.length === 0 && !dryRun)
    throw conflict(outcome.refused.map(({ label, reason }) => `${label}: ${reason}`).join(' '), {
      refused: outcome.refused,
    })
  if (!dryRun) await markSigned(write.db, write.actor.sessionId)
  return outcome
}

class Refused extends Error {
  readonly tabSlug: string | null
  constructor(reason: string, tabSlug: string | null) {
    super(reason)
    this.tabSlug = tabSlug
  }
}

const signOne = async (
  signing: Signing,
  asked: Asked,
  dryRun: boolean,
): Promise<SignOutcome['refused'][number] | null> => {
  const { db } = signing.write
  const report = await findReport(db, asked.id)
  if (!report) return { id: asked.id, label: `Report ${asked.id}`, reason: 'Report not found', tabSlug: null }
  signing.services.accessLog.note(signing.write.requestId, { reqIds: [report.requisition_id] })
  await sql`savepoint sign_one`.execute(db)
  try {
    const plan = await requireSignable(signing, report.requisition_id, asked, dryRun)
    if (!dryRun) await sign(signing, plan)
    await sql`release savepoint sign_one`.execute(db)
    return null
  } catch (error) {
    if (!(error instanceof Refused || error instanceof AppError)) throw error
    await sql`rollback to savepoint sign_one`.execute(db)
    const { rows } = await sql<{
      label: string
    }>`select (${selectRequisitionLabel(sql`${report.requisition_id}::bigint`)}) as label`.execute(db)
    const tabSlug = error instanceof Refused ? error.tabSlug : 'reportsDelivery'
    return { id: asked.id, label: rows[0]?.label ?? `#${report.requisition_id}`, reason: error.message, tabSlug }
  }
}

const requireSignable = async (
  { write: { db, actor }, services, grants, meaningCode }: Signing,
  reqID: number,
  { id: reportID, contentSha256 }: Asked,
  dryRun: boolean,
): Promise<ReleasePlan> => {
  if (!dryRun) await lockRequisition(db, actor, reqID)
  const report = dryRun ? await findReport(db, reportID) : await lockReport(db, { reqID, reportID })
  if (!report) throw new Refused('Report not found', null)
  const versionNo = report.current_version_no
  const known = await listValidSignatures(db, reportID, versionNo)
  if (isSignedAlready(known, actor.userId, meaningCode) || report.lab_qc_status_code === 'RELEASE')
    throw new Refused('This report is already signed or released', 'reportsDelivery')
  if (!['PENDING', 'MD'].includes(report.lab_qc_status_code))
    throw new Refused('This report does not wait for a signature: lab QC has put it aside', 'reportsDelivery')
  if (!meaningsOf(versionNo).includes(meaningCode))
    throw new Refused(
      versionNo > 1 ? 'A corrected report takes the meaning AMEND only' : 'AMEND is for corrected reports only',
      'reportsDelivery',
    )
  const plan = await planRelease(db, report, { questions: new Questions() })
  const ofLab = grants.filter(({ labId }) => labId === plan.labId)
  if (ofLab.length === 0) throw new Refused(`You have no right to sign reports of ${plan.labName}`, null)
  if (!ofLab.some(({ coversReports }) => coversReports))
    throw new Refused(`Your right to sign at ${plan.labName} does not cover the department of this report`, null)
  if (plan.contentSha256 !== contentSha256)
    throw new Refused('The report has changed since it was shown: look at it again', 'reportsDelivery')
  const failed = failedChecks(plan.checks)
  if (failed.length > 0) throw new Refused(failureText(plan.checks), failed[0]?.tabSlug ?? null)
  await services.store.verify(plan.file.key, plan.file.sha256)
  return plan
}

/** After it was signed for release it cannot be signed again; each reviewer signs a review once. */
const isSignedAlready = (known: readonly ValidSignature[], userId: number, meaningCode: MeaningCode) =>
  known.some((one) => releasing.includes(one.meaningCode)) ||
  known.some((one) => one.userId === userId && one.meaningCode === meaningCode)

const sign = async ({ write, services, grants, meaningCode }: Signing, plan: ReleasePlan) => {
  const { db, actor, requestId } = write
  const { reportId, versionNo, requisitionId, contentSha256, content } = plan
  const grant = grants.find(({ labId, coversReports }) => labId === plan.labId && coversReports) as Grant
  const at = new Date()
  const signature: ValidSignature = {
    userId: actor.userId,
    signerName: actor.name,
    qualifications: grant.qualifications,
    meaningCode,
    signedAt: at.toISOString(),
    signedZone: grant.zone,
  }
  const signatures = [...(await listValidSignatures(db, reportId, versionNo)), signature]
  const file = await makeReleasedFile(write, services, plan, { at, signatures })
  const fileSha256 = file.sha256.toString('hex')
  const { id } = await db
    .insertInto('report_signature')
    .values({
      report_id: reportId,
      version_no: versionNo,
      user_id: actor.userId,
      lab_signer_id: grant.id,
      signer_name: signature.signerName,
      qualifications: signature.qualifications,
      meaning_code: meaningCode,
      signed_at: signature.signedAt,
      signed_zone: signature.signedZone,
      content: JSON.stringify({ content, fileSha256: plan.isMadeHere ? null : plan.file.sha256 }),
      content_sha256: Buffer.from(contentSha256, 'hex'),
      file_id: file.id,
      file_sha256: file.sha256,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'report_signature',
    entityId: id,
    requisitionId,
    action: 'SIGN',
    new: {
      reportId,
      versionNo,
      ...signature,
      signedDate: withOffset(signature.signedAt, signature.signedZone),
      contentSha256,
      fileSha256,
    },
  })
  if (!releasing.includes(meaningCode)) return
  const why = `Signed by ${signature.signerName}, ${signature.qualifications}`
  await setLabQc(write, { reqID: requisitionId, reportID: reportId }, 'RELEASE', {
    why,
    signed: { content: plan.contentToKeep },
  })
  await announce(write, 'reportReleased', { requisitionId, reportId, versionNo })
}
