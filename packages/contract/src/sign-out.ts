import { z } from 'zod'
import { list, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { patientLabel } from './kit/patient-data.ts'
import { byId, get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { flag01, requiredId } from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

export const signOutLabels = {
  reports: 'Reports',
  meaningCode: 'Meaning of the signature',
  password: 'Password',
  code: 'Authentication code',
  contentSha256: 'Content shown',
} as const

/** What a signature says. All but REVIEW release the report; AMEND is for a corrected version, which takes no other. */
export const signatureMeanings = {
  REVIEW: 'Reviewed',
  APPROVE: 'Reviewed and approved',
  INTERPRET: 'Interpreted and approved',
  AMEND: 'Corrected report reviewed and approved',
} as const
export type MeaningCode = keyof typeof signatureMeanings
const meaningCodes = Object.keys(signatureMeanings) as [MeaningCode, ...MeaningCode[]]

/** Elements of a report that are checked before its release (42 CFR 493.1291). */
const checkCodes = [
  'PATIENT_ID',
  'LAB_ADDRESS',
  'REPORT_DATE',
  'TESTS',
  'SPECIMEN_SOURCE',
  'RESULTS',
  'REFERENCE',
  'SPECIMEN_CONDITION',
  'CORRECTED',
  'CLIA_DIRECTOR',
  'CURRENT',
  'QUALITY_CONTROL',
  'CRITICAL',
  'ISSUES',
] as const
export type CheckCode = (typeof checkCodes)[number]

const check = z.object({
  code: z.enum(checkCodes),
  state: z.enum(['PASS', 'WARN', 'FAIL']),
  title: z.string(),
  detail: z.string(),
  /** The tab of the requisition where it can be fixed; null where it is fixed elsewhere. */
  tabSlug: text,
})
export type ReportCheckResult = z.infer<typeof check>

const waiting = z.object({
  reportId: id,
  reqId: id,
  versionNo: id,
  labId: id,
  patientFirstName: z.string(),
  patientLastName: z.string(),
  patientDob: z.string(),
  testCodes: z.array(z.string()),
  waitingSince: time,
  isCritical: flag01,
  isAbnormal: flag01,
  isCorrected: flag01,
  needsLook: flag01,
  mayUserSign: flag01,
  isMadeHere: flag01,
})
export type WaitingReport = z.infer<typeof waiting>

const earlierResult = z.object({
  testCode: z.string(),
  testDesc: z.string(),
  values: z.array(z.object({ collectedDate: time, value: z.string() })),
})

const waitingDetail = waiting.extend({
  /** The page as it will be signed. */
  url: z.string(),
  contentSha256: z.string(),
  checks: z.array(check),
  previous: z.array(earlierResult),
  labName: z.string(),
  /** The meanings that this version takes. */
  meaningCodes: z.array(z.enum(meaningCodes)),
  /** Whether the next signature of this session needs the second factor. */
  isCodeNeeded: flag01,
})
export type WaitingReportDetail = z.infer<typeof waitingDetail>

const signature = z.object({
  id,
  versionNo: id,
  userId: id,
  signerName: z.string(),
  qualifications: z.string(),
  meaningCode: z.enum(meaningCodes),
  meaningDesc: z.string(),
  /** With the offset of `signedTz`. */
  signedDate: time,
  signedTz: z.string(),
  contentSha256: z.string(),
  fileSha256: z.string(),
  signatureState: z.enum(['VALID', 'VOID']),
  voidDate: time.nullable(),
  voidReason: text,
})
export type ReportSignature = z.infer<typeof signature>

const refusal = z.object({ id, label: patientLabel, reason: z.string(), tabSlug: text })
const outcome = z.object({ signed: z.array(id), refused: z.array(refusal) })
export type SignOutcome = z.infer<typeof outcome>

const maxReportsPerSignature = 200

const sha256 = z
  .string({ error: messages.required(signOutLabels.contentSha256) })
  .regex(/^[0-9a-f]{64}$/, messages.invalid(signOutLabels.contentSha256))
const signInput = z.object({
  reports: z
    .array(z.object({ id: requiredId('Report'), contentSha256: sha256 }), {
      error: messages.required(signOutLabels.reports),
    })
    .min(1, messages.required(signOutLabels.reports))
    .max(maxReportsPerSignature, `At most ${maxReportsPerSignature} reports can be signed at once`),
  meaningCode: z.enum(meaningCodes, { error: messages.invalid(signOutLabels.meaningCode) }),
  password: z.string().max(256).optional(),
  code: z.string().trim().max(20).nullish(),
  dryRun: z.boolean().default(false),
})
export type SignInput = z.infer<typeof signInput>

export const signOutRoutes = {
  list: get('sign_out', {
    access: 'signOut.read',
    summary: 'Reports that wait for a signature: critical ones first, then those that need a look, each oldest first',
    query: listQuery({
      sort: ['reportId', 'waitingSince'],
      filter: ['labId', 'isAbnormal', 'search'],
      defaultPerPage: 100,
    }),
    reply: page(waiting),
  }),
  today: get('sign_out/today', {
    access: 'signOut.read',
    summary: 'How many reports were signed today, by everybody and by the caller',
    reply: one(z.object({ signedCount: z.number().int(), ownCount: z.number().int() })),
  }),
  one: get('sign_out/:reportId', {
    access: 'signOut.read',
    patientData: true,
    params: z.object({ reportId: idParam }),
    reply: one(waitingDetail),
  }),
  checks: get('reports/:id/checks', {
    access: 'signOut.read',
    patientData: true,
    summary: 'What a report must contain, checked at any time',
    params: byId,
    reply: list(check),
  }),
  signatures: get('reports/:id/signatures', { access: 'signOut.read', params: byId, reply: list(signature) }),
  sign: post('reports/sign', {
    access: 'signOut.read',
    summary: 'Signs reports with password and second factor; with dryRun nothing changes and the reply says the same',
    patientData: true,
    body: signInput,
    isReplySecret: true,
    reply: one(outcome),
  }),
  dossier: post('requisitions/:id/dossier', {
    access: 'signOut.read',
    summary:
      'One ZIP with all that is known about a requisition: specimens, results, signatures, deliveries, calls, reads, audit and all report files',
    patientData: true,
    params: byId,
    body: z.object({}),
    makesFile: true,
    reply: one(z.object({ url: z.string() })),
  }),
  sendCode: post('reports/sign/code', {
    access: 'signOut.read',
    summary: 'Sends the second factor for a signature, unless it comes from an authenticator app',
    body: z.object({}),
    isReplySecret: true,
    reply: one(z.object({ channel: z.enum(['SMS', 'TOTP']) })),
  }),
}
