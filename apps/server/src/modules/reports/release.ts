import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { recordChangedQuestion } from '@lis/contract/reports.ts'
import { type MeaningCode, type ReportCheckResult, signatureMeanings } from '@lis/contract/sign-out.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { AppError, conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { checkReport, failedChecks, failureText } from './checks.ts'
import { findReportContent, type ReportContent, withoutEarlierValues } from './content.ts'
import { changedCodes, changesBetween, findOutdatedFacts, findOutdatedFactsOfDraft } from './content-changes.ts'
import { contentOfVersion, findContentOfVersion, getLatestReleasedVersion, wasReleased } from './queries.ts'
import type { PrintedSignature, VersionInfo } from './report-pdf.ts'
import { drawReport, type StoredReport, storeDrawn, type Tools } from './store-report.ts'

/** The current version of a report, as `lockReport` or `findReport` gives it. */
interface CurrentReport {
  id: number
  requisition_id: number
  current_version_no: number
  release_at: string | null
}

/** What a signature or a release of the current version fixes. */
export interface ReleasePlan {
  reportId: number
  requisitionId: number
  versionNo: number
  labId: number
  labName: string
  isSignatureRequired: boolean
  isMadeHere: boolean
  /** Released before: its file stays as it is. */
  isFixed: boolean
  correctionReason: string | null
  /** What the report says; printed where it was made here. */
  content: ReportContent
  /** To be kept with the release, because it differs from what was stored before. */
  contentToKeep: ReportContent | null
  /** The hash of the content, of the version, and of a file made elsewhere. */
  contentSha256: string
  checks: ReportCheckResult[]
  /** The file that is shown now. */
  file: { id: number; sha256: string; key: string; originalName: string }
}

/** Refuses a report that no longer says what is in the record; one that is only to be shown fails a check instead. */
export const planRelease = async (
  db: Db,
  report: CurrentReport,
  { questions, isToShow = false }: { questions?: Questions | undefined; isToShow?: boolean } = {},
): Promise<ReleasePlan> => {
  const version = await readVersion(db, report)
  const { made, known, isMadeHere } = version
  const now = await findReportContent(db, report.requisition_id)
  const differences = report.release_at ? findOutdatedFacts : findOutdatedFactsOfDraft
  const outdated = isMadeHere && made ? differences(known ?? made, now) : []
  const content = contentAtRelease({ ...version, isFixed: version.isFixed || outdated.length > 0 }, now)
  const { openCriticalCalls, openLookbacks, openIssues, guardFinding } = version
  const checks = checkReport({
    content,
    versionNo: report.current_version_no,
    isMadeHere,
    guardFinding,
    outdated,
    openCriticalCalls,
    openLookbacks,
    openIssues,
  })
  if (outdated.length > 0 && !isToShow) {
    const instead = report.release_at ? 'correct it instead' : 'make a new one instead'
    throw conflict(`The record has changed since this report was made (${outdated.join(', ')}): ${instead}`, { checks })
  }
  // What cannot be released is not asked about.
  if (made && !isMadeHere && !isToShow && failedChecks(checks).length === 0) {
    await requireChangesCurrent(db, report.id, content, withoutEarlierValues(now))
    askAboutChanges(questions, findOutdatedFacts(known ?? made, content))
  }
  return {
    reportId: report.id,
    requisitionId: report.requisition_id,
    versionNo: report.current_version_no,
    labId: version.labId,
    labName: version.labName,
    isSignatureRequired: version.isSignatureRequired,
    isMadeHere,
    isFixed: version.isFixed,
    correctionReason: version.correctionReason,
    content,
    contentToKeep: made && !isDeepStrictEqual(content, known) ? content : null,
    contentSha256: hashOf({
      reportId: report.id,
      versionNo: report.current_version_no,
      content,
      fileSha256: isMadeHere ? null : version.file.sha256,
    }),
    checks,
    file: version.file,
  }
}

const readVersion = async (db: Db, report: CurrentReport) => {
  const row = await db
    .selectFrom('report_version as v')
    .innerJoin('report as p', 'p.id', 'v.report_id')
    .innerJoin('requisition as r', 'r.id', 'p.requisition_id')
    .innerJoin('lab as l', 'l.id', 'r.lab_id')
    .innerJoin('stored_file as f', (join) =>
      join.on(sql<boolean>`f.id = report_file(v.report_id, v.version_no, v.file_id)`),
    )
    .select((eb) => [
      'v.is_made_here as isMadeHere',
      'v.guard_finding as guardFinding',
      'v.correction_reason as correctionReason',
      eb.ref('v.content').$castTo<ReportContent | null>().as('made'),
      contentOfVersion.as('known'),
      wasReleased.as('isFixed'),
      'l.id as labId',
      'l.name as labName',
      'l.is_signature_required as isSignatureRequired',
      'f.id as fileId',
      'f.object_key as key',
      'f.original_name as originalName',
      eb.fn<string>('encode', ['f.sha256', sql.lit('hex')]).as('sha256'),
      sql<string[]>`array(select t.code || ' ' || c.value from critical_call c join test t on t.id = c.test_id
        where c.requisition_id = r.id and c.state in ('OPEN', 'TAKEN') order by c.id)`.as('openCriticalCalls'),
      sql<
        string[]
      >`array(select distinct t.code from qc_lookback b join requisition_test rt on rt.id = b.requisition_test_id join test t on t.id = rt.test_id
        where b.requisition_id = r.id and b.state = 'OPEN' order by 1)`.as('openLookbacks'),
      sql<
        string[]
      >`array(select left(i.description, 200) from issue i where i.requisition_id = r.id and i.deleted_at is null
        and i.status_code not in ('RESOLVED', 'CLOSED') order by i.id)`.as('openIssues'),
    ])
    .where('v.report_id', '=', bigint(report.id))
    .where('v.version_no', '=', report.current_version_no)
    .executeTakeFirstOrThrow()
  const { fileId: id, key, originalName, sha256, ...rest } = row
  return { ...rest, file: { id, key, originalName, sha256 } }
}

/**
 * A report made here is printed again at its release, with the record of the laboratory as it is now. A file made elsewhere is released because it agrees with the record as it is now, which may have changed since the upload.
 */
const contentAtRelease = (
  {
    made,
    known,
    isMadeHere,
    isFixed,
  }: { made: ReportContent | null; known: ReportContent | null; isMadeHere: boolean; isFixed: boolean },
  now: ReportContent,
): ReportContent => {
  if (!made) return withoutEarlierValues(now)
  if (!isMadeHere) return limitedTo(made, withoutEarlierValues(now))
  return isFixed ? (known ?? made) : limitedTo(made, now)
}

/** The current record, limited to the results that existed when the version was made. */
const limitedTo = (made: ReportContent, now: ReportContent): ReportContent => {
  const codes = new Set(made.results.map(({ code }) => code))
  const newResults = now.results.filter(({ code }) => !codes.has(code))
  return {
    // Keeps the fields that only corrections have.
    ...made,
    ...now,
    results: now.results.filter(({ code }) => codes.has(code)),
    pending: [...now.pending, ...newResults.map(({ name }) => name)],
  }
}

const askAboutChanges = (questions: Questions | undefined, changed: readonly string[]) => {
  if (changed.length > 0)
    questions?.ask({
      code: recordChangedQuestion,
      field: 'labQcStatusCode',
      message: `The record has changed since this file was uploaded or last released (${changed.join(', ')}). Does the file show what is in the record now?`,
      choices: [{ value: 'SAVE', label: 'It does, release it' }],
    })
  questions?.requireAnswers()
}

/** The first page of an uploaded correction, and its HL7 message, list the changes as of the upload: they must still be right. */
const requireChangesCurrent = async (db: Db, reportId: number, content: ReportContent, now: ReportContent) => {
  const { changes, replacesVersionNo } = content
  // Older corrections do not name the version they were compared with.
  if (!changes || replacesVersionNo === undefined) return
  const replaced = await findContentOfVersion(db, reportId, replacesVersionNo)
  // A result of the replaced version that was open at the upload counts too, even if the file does not show it.
  const codes = new Set([...content.results, ...(replaced?.results ?? [])].map(({ code }) => code))
  const results = now.results.filter(({ code }) => codes.has(code))
  if (!isDeepStrictEqual(changesBetween(replaced, { ...content, results }), changes))
    throw conflict('The first page of this correction no longer says what has changed: upload it again')
}

/** Keys in alphabetical order at every depth, so that the same content always has the same hash, also when read back from the database. */
const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null)
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

export interface HashedContent {
  reportId: number
  versionNo: number
  content: ReportContent
  /** Of a file made elsewhere, which our content does not determine. */
  fileSha256: string | null
}

export const hashOf = (hashed: HashedContent): string =>
  createHash('sha256').update(canonicalJson(hashed)).digest('hex')

/** A report is not released while an element is missing that it must contain. */
export const requireChecks = (checks: readonly ReportCheckResult[]) => {
  if (failedChecks(checks).length > 0)
    throw conflict(`This report cannot be released. ${failureText(checks)}`, { checks })
}

/** Meanings of a signature that release a report. */
export const releasing: readonly MeaningCode[] = ['APPROVE', 'INTERPRET', 'AMEND']

/**
 * A laboratory may require a signature: then no other way leads to a release. What was signed of a file made elsewhere must be what the
 * record says now; without the record of the laboratory, which may change afterwards.
 */
export const requireSignature = async (db: Db, plan: ReleasePlan) => {
  const { reportId, versionNo, isSignatureRequired, isMadeHere, labName, content } = plan
  if (!isSignatureRequired) return
  const signed = (await listSignedContents(db, reportId, versionNo)).filter(({ meaningCode }) =>
    releasing.includes(meaningCode),
  )
  if (signed.some((one) => isMadeHere || findOutdatedFacts({ ...one.content, lab: content.lab }, content).length === 0))
    return
  const reason =
    signed.length === 0
      ? `${labName} releases reports by signature only: sign this report on Sign-out`
      : `${labName} releases reports by signature only, and the record has changed since this file was signed: correct the report and sign it again`
  throw new SignatureMissing('conflict', reason, { current: { reason } })
}

/** Only a signature can release this report. */
export class SignatureMissing extends AppError {}

const listSignedContents = (db: Db, reportId: number, versionNo: number) =>
  db
    .selectFrom('report_signature as s')
    .leftJoin('report_signature_void as x', 'x.signature_id', 's.id')
    .select((eb) => [
      eb.ref('s.meaning_code').$castTo<MeaningCode>().as('meaningCode'),
      sql<ReportContent>`s.content -> 'content'`.as('content'),
    ])
    .where('s.report_id', '=', bigint(reportId))
    .where('s.version_no', '=', versionNo)
    .where('x.signature_id', 'is', null)
    .execute()

export interface ValidSignature {
  userId: number
  signerName: string
  qualifications: string
  meaningCode: MeaningCode
  signedAt: string
  signedZone: string
}

export const listValidSignatures = (db: Db, reportId: number, versionNo: number): Promise<ValidSignature[]> =>
  db
    .selectFrom('report_signature as s')
    .leftJoin('report_signature_void as x', 'x.signature_id', 's.id')
    .select((eb) => [
      's.user_id as userId',
      's.signer_name as signerName',
      's.qualifications',
      eb.ref('s.meaning_code').$castTo<MeaningCode>().as('meaningCode'),
      's.signed_at as signedAt',
      's.signed_zone as signedZone',
    ])
    .where('s.report_id', '=', bigint(reportId))
    .where('s.version_no', '=', versionNo)
    .where('x.signature_id', 'is', null)
    .orderBy('s.id')
    .execute()

/** What a correction prints about the version that it replaces. */
const correctionOf = async (
  db: Db,
  { reportId, content, correctionReason }: ReleasePlan,
): Promise<Pick<VersionInfo, 'correction'>> => {
  if (correctionReason === null || content.replacesVersionNo === undefined) return {}
  const before = await getLatestReleasedVersion(db, reportId)
  return {
    correction: {
      replacesVersionNo: content.replacesVersionNo,
      reason: correctionReason,
      changes: content.changes ?? [],
      changedCodes: changedCodes(before.content, content),
    },
  }
}

/** The page as it will be signed: without a date and a signature. */
export const drawUnsigned = async (db: Db, tools: Tools, plan: ReleasePlan): Promise<Buffer> =>
  drawReport(db, tools, plan.content, {
    versionNo: plan.versionNo,
    madeAt: null,
    signatures: (await listValidSignatures(db, plan.reportId, plan.versionNo)).map(printed),
    ...(await correctionOf(db, plan)),
  })

const printed = ({ signerName, qualifications, meaningCode, signedAt, signedZone }: ValidSignature) =>
  ({ name: signerName, qualifications, meaningCode, at: signedAt, zone: signedZone }) satisfies PrintedSignature

/** Makes the file of a version that is signed or released now. One made elsewhere, or released before, keeps its file. */
export const makeReleasedFile = async (
  write: WriteCall,
  tools: Tools,
  plan: ReleasePlan,
  { at, signatures }: { at: Date; signatures: readonly ValidSignature[] },
): Promise<StoredReport> => {
  const { reportId, versionNo, content, file } = plan
  if (!plan.isMadeHere || plan.isFixed)
    return { id: file.id, originalName: file.originalName, sha256: Buffer.from(file.sha256, 'hex') }
  const sealReason = signatures.at(-1)
    ? signatureMeanings[(signatures.at(-1) as ValidSignature).meaningCode]
    : 'Released by the laboratory'
  const drawn = await drawReport(write.db, tools, content, {
    versionNo,
    madeAt: at,
    signatures: signatures.map(printed),
    ...(tools.reportSeal && { sealReason }),
    ...(await correctionOf(write.db, plan)),
  })
  const body = tools.reportSeal ? await tools.reportSeal.seal(drawn, at) : drawn
  const stored = await storeDrawn(write, tools, content, versionNo, body)
  await write.db
    .insertInto('report_version_file')
    .values({ report_id: reportId, version_no: versionNo, file_id: stored.id, created_by: write.actor.userId })
    .execute()
  return stored
}

/** A new version takes the place of what was signed: its signatures no longer hold, and stay. */
export const voidSignatures = async ({ db, actor, requestId }: WriteCall, report: CurrentReport, reason: string) => {
  const voided = await db
    .insertInto('report_signature_void')
    .columns(['signature_id', 'voided_by', 'reason'])
    .expression((eb) =>
      eb
        .selectFrom('report_signature as s')
        .leftJoin('report_signature_void as x', 'x.signature_id', 's.id')
        .select([
          's.id',
          sql<number | null>`${actor.userId || null}::int`.as('by'),
          sql<string>`${reason}::text`.as('reason'),
        ])
        .where('s.report_id', '=', bigint(report.id))
        .where('x.signature_id', 'is', null),
    )
    .returning('signature_id')
    .execute()
  await recordAudit(
    db,
    actor,
    requestId,
    voided.map(({ signature_id: entityId }) => ({
      entity: 'report_signature',
      entityId,
      requisitionId: report.requisition_id,
      action: 'VOID',
      reason,
    })),
  )
}
