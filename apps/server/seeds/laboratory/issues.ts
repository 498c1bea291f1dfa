import { day, hour, isoInstant, minute } from './clock.ts'
import type { Draft, RequisitionContext } from './draft.ts'
import { weighted } from './random.ts'

/** What goes wrong at each stage, from Logged to billing. */
const typesByStage: readonly (readonly string[])[] = [
  ['DEMOMISS', 'IDMISMATCH', 'COLLTIME', 'NOSPEC', 'COURIER'],
  ['DEMOMISS', 'SPECREJ', 'COLLTIME', 'IDMISMATCH'],
  ['QNS', 'HEMLIP', 'QCFAIL', 'DELTAFAIL', 'ADDTEST', 'CANCEL'],
  ['DELTAFAIL', 'MDREV', 'CRITICAL', 'REPEATREQ'],
  ['DEMQC', 'MDREV', 'CORRREP'],
  ['REPNOTREC', 'PORTALACC', 'CLIENTREQ'],
  ['REPNOTREC', 'CLIENTREQ', 'CORRREP'],
  ['MISSBILL', 'INSINV', 'ICDMISS', 'REPNOTREC', 'CLIENTREQ'],
]

const notes: Record<string, string> = {
  DEMOMISS: 'Birth date on the form cannot be read.',
  IDMISMATCH: 'Tube says a different first name.',
  COLLTIME: 'Collection time is later than the receipt stamp.',
  NOSPEC: 'Form arrived without a tube in the bag.',
  SPECREJ: 'Tube arrived warm, two days after collection.',
  QNS: 'Less than 0.3 mL left after the first run.',
  HEMLIP: 'Serum index above the limit of the method.',
  QCFAIL: 'Level 2 control outside 3 SD, run repeated.',
  DELTAFAIL: 'Value differs from the last one by more than the limit.',
  ADDTEST: 'Practice called and asks for HbA1c from the same draw.',
  CANCEL: 'Practice cancels the antibody test.',
  CRITICAL: 'To be called to the practice before release.',
  MDREV: 'Please decide whether this can go out.',
  REPEATREQ: 'Repeat from the frozen aliquot.',
  DEMQC: 'Sex on the form and in the record differ.',
  CORRREP: 'Physician name has to be corrected.',
  DELIVFAIL: 'The system could not deliver the report.',
  REPNOTREC: 'Front desk cannot find the report in their inbox.',
  PORTALACC: 'User cannot sign in after the phone number changed.',
  MISSBILL: 'Raised by the billing run.',
  INSINV: 'Payer answers: member not found.',
  ICDMISS: 'Diagnosis on the order is not covered for this test.',
  COURIER: 'Box was left at the depot over the weekend.',
  CLIENTREQ: 'Wants to know why the turnaround was longer than usual.',
}

const raisedBySystem = new Set(['DELIVFAIL', 'MISSBILL'])

const workLogs = [
  'Called the practice, left a message.',
  'Faxed the correction form.',
  'Practice confirmed by telephone, note added.',
  'Waiting for the signed form.',
  'Looked at the scan: the form is right, the record was wrong.',
  'Forwarded to the other shift.',
  'Rerun finished, result agrees.',
] as const

type IssueStatus = 'OPEN' | 'INPROG' | 'RESOLVED' | 'CLOSED'

const fresh = weighted<IssueStatus>([
  ['OPEN', 45],
  ['INPROG', 30],
  ['RESOLVED', 15],
  ['CLOSED', 10],
])
const settled = weighted<IssueStatus>([
  ['OPEN', 4],
  ['INPROG', 4],
  ['RESOLVED', 22],
  ['CLOSED', 70],
])

export interface IssueCause {
  hasDeliveryFailed: boolean
}

/** About one requisition in eleven has an issue; a failed delivery and missing billing information always have one. */
export const addIssues = (context: RequisitionContext, draft: Draft, { hasDeliveryFailed }: IssueCause): number => {
  const { random, stage } = draft
  if (hasDeliveryFailed) addIssue(context, draft, 'DELIVFAIL', 'OPEN')
  const likelihood = stage < 7 ? 0.12 : draft.status === 'MISSBILL' ? 1 : context.isDetailed ? 0.07 : 0.03
  if (!random.chance(likelihood)) return hasDeliveryFailed ? 1 : 0
  addIssue(context, draft, typeFor(draft), random.draw(stage < 7 || draft.status === 'MISSBILL' ? fresh : settled))
  return hasDeliveryFailed ? 2 : 1
}

const typeFor = ({ status, stage, random, receivedAt }: Draft): string => {
  if (status === 'MISSBILL') return 'MISSBILL'
  const type = random.pick(typesByStage[stage] ?? [])
  return type === 'NOSPEC' && receivedAt !== null ? 'COLLTIME' : type
}

const addIssue = (context: RequisitionContext, draft: Draft, code: string, status: IssueStatus) => {
  const { random } = draft
  const type = context.catalogue.issueTypes.get(code)
  if (!type) throw new Error(`No issue type ${code}`)
  const { users } = context.world
  const openedAt = Math.min(draft.timeline.last + random.between(0.1, 2) * hour, context.plan.asOf - 3 * minute)
  const span = Math.min(context.plan.asOf - minute - openedAt, random.between(0.2, 4) * day)
  const statusAt = status === 'OPEN' ? openedAt : openedAt + Math.floor(span)
  const id = context.ids.next('issue')
  context.rows.add('issue', {
    id,
    requisition_id: draft.id,
    issue_type_id: type.id,
    reporter_department_id: type.reporter,
    resolver_department_id: type.resolver,
    description: type.description,
    note: notes[code] ?? null,
    status_code: status,
    status_at: isoInstant(statusAt),
    created_by: raisedBySystem.has(code) ? null : users.of(type.reporter, random),
    created_at: isoInstant(openedAt),
    // Only the department that reported it may close it.
    closed_by: status === 'CLOSED' ? users.of(type.reporter, random) : null,
    closed_at: status === 'CLOSED' ? isoInstant(statusAt) : null,
  })
  if (!context.isDetailed || status === 'OPEN') return
  const logs = random.int(1, 3)
  for (let index = 0; index < logs; index += 1) {
    context.rows.add('issue_work_log', {
      id: context.ids.next('issue_work_log'),
      issue_id: id,
      work_log: random.pick(workLogs),
      created_by: users.of(index % 2 === 0 ? type.resolver : type.reporter, random),
      created_at: isoInstant(openedAt + Math.floor(((statusAt - openedAt) * (index + 1)) / (logs + 1))),
    })
  }
}

const labNotes: readonly (readonly [string, string])[] = [
  ['SPECQUAL', 'Slightly hemolyzed, below the limit of the method.'],
  ['REPEAT', 'Repeated once, results agree within 3 %.'],
  ['DILUTE', 'Run again at 1:5, result multiplied by the instrument.'],
  ['DELTA', 'Earlier result checked: new medication since then.'],
  ['CALL', 'Spoke with the practice, collection time confirmed.'],
  ['MDREV', 'Reviewed, may be released.'],
  ['INSTR', 'Probe changed before this run, controls in range.'],
]

export const addLabNote = (context: RequisitionContext, draft: Draft) => {
  const { random, timeline } = draft
  const processedAt = timeline.first('PROCESS')
  if (!context.isDetailed || processedAt === undefined || !random.chance(0.08)) return
  const [type, note] = random.pick(labNotes)
  context.rows.add('lab_note', {
    id: context.ids.next('lab_note'),
    requisition_id: draft.id,
    type_id: context.catalogue.noteTypeId(type),
    note,
    created_by: context.world.users.of(context.catalogue.departmentId('LAB'), random),
    created_at: isoInstant(Math.min(processedAt + random.between(0.2, 5) * hour, context.plan.asOf - minute)),
  })
}
