import { superAdmins } from '@lis/contract/access/roles.ts'
import { usDate } from '@lis/contract/kit/date-range.ts'
import {
  identityQuestion,
  isVeryOld,
  oldBirthQuestion,
  type Patient,
  type PatientInput,
  type PatientRow,
  patientLabels,
  patientMessages,
  samePatientQuestion,
} from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { findSuggestion, lockAndFindDuplicates } from '../patients/queries.ts'
import { requisitionsOfPatient } from '../requisition-record/queries.ts'

/** The fields that identify a person; a middle name or an address only adds detail. */
const identityNames = ['patientFirstName', 'patientLastName', 'patientDob'] as const
type Identity = Pick<Patient, (typeof identityNames)[number]>
type Sent = Partial<PatientInput>

const identityOf = ({ patientFirstName, patientLastName, patientDob }: Identity): Identity => ({
  patientFirstName,
  patientLastName,
  patientDob,
})

/** Which of them differ. Case, accents and spaces alone are no difference. */
export const changedIdentity = async (db: Db, before: Identity, after: Identity) => {
  const changed = identityNames.filter((name) => before[name] !== after[name])
  if (changed.length === 0) return []
  const key = (text: string) => sql`regexp_replace(sort_key(normalize(${text}::text, NFC)), '\\s', '', 'g')`
  const { rows } = await sql<{ is_same: boolean[] }>`select array[${sql.join(
    changed.map((name) => sql`${key(before[name])} = ${key(after[name])}`),
  )}] as is_same`.execute(db)
  return changed.filter((_, at) => !rows[0]?.is_same[at])
}

/** The number of the patient's requisitions, and the ids of those in this person's scope. */
export const findRequisitionsOfPatient = async ({ db, actor }: WriteCall, patientId: number) => {
  const { rows } = await sql<{ total: number; ids: number[] }>`
    select patient_requisition_count(${patientId}::bigint) as total,
      array(select r.id ${requisitionsOfPatient(actor, sql`${patientId}::bigint`)} order by r.id) as ids`.execute(db)
  const { total = 0, ids = [] } = rows[0] ?? {}
  return { total, ids }
}

/**
 * Asks whether a record that gets another identity is still about the same person (DAY-31). `requisitionId` is the edited one, undefined
 * for a new one. Returns undefined where there is nothing to ask.
 */
export const askIdentity = async (
  call: WriteCallWithQuestions,
  before: Patient,
  sent: Sent,
  requisitionId: number | undefined,
): Promise<'SAME_PERSON' | 'OTHER_PERSON' | undefined> => {
  const after = { ...identityOf(before), ...definedOf(sent) }
  const changed = await changedIdentity(call.db, before, after)
  if (changed.length === 0) return undefined
  const { total, ids } = await findRequisitionsOfPatient(call, before.id)
  const others = total - (requisitionId !== undefined && ids.includes(requisitionId) ? 1 : 0)
  if (changed.length < 2 && others === 0) return undefined
  const labels = changed.map((name) => patientLabels[name]).join(', ')
  const answer = call.questions.ask({
    code: identityQuestion.code,
    field: changed[0] as string,
    title: 'Same person?',
    message: `This changes who the patient is: ${labels}.${others === 0 ? '' : ` The record is also used by ${countOf(call, others)}.`}`,
    before: identityOf(before),
    after,
    reqIds: ids,
    choices: identityQuestion.choices,
    hasNoDefault: true,
  })
  return answer as 'SAME_PERSON' | 'OTHER_PERSON' | undefined
}

/** A year is easily mistyped; with the answer a very old date of birth is saved. */
export const askBirthDay = ({ questions }: WriteCallWithQuestions, dob: string | undefined, before?: string) => {
  if (dob === undefined || dob === before || !isVeryOld(dob)) return
  const years = new Date().getUTCFullYear() - Number(dob.slice(0, 4))
  questions.ask({
    code: oldBirthQuestion,
    field: 'patientDob',
    message: `The date of birth, ${usDate(dob)}, is about ${years} years ago.`,
  })
}

/** Only super admins may know the number of requisitions outside the scope. */
const countOf = ({ actor }: WriteCallWithQuestions, others: number) => {
  if (!superAdmins.some((role) => role === actor.role)) return 'other requisitions'
  return others === 1 ? '1 other requisition' : `${others} other requisitions`
}

const definedOf = ({ patientFirstName, patientLastName, patientDob }: Sent): Partial<Identity> => ({
  ...(patientFirstName !== undefined && { patientFirstName }),
  ...(patientLastName !== undefined && { patientLastName }),
  ...(patientDob !== undefined && { patientDob }),
})

/** If the other person may be known already, asks which one it is: an id, or `NEW`. Undefined without an answer. */
export const askWhichPerson = async (
  call: WriteCallWithQuestions,
  { id }: Patient,
  person: Identity,
): Promise<number | 'NEW' | undefined> => {
  const known = (await findKnown(call, person)).filter((other) => other.id !== id)
  if (known.length === 0) return 'NEW'
  const answer = call.questions.ask({
    code: identityQuestion.which,
    field: 'patientLastName',
    title: whichTitle,
    message: patientMessages.duplicate,
    patientIds: known.map((other) => other.id),
    choices: [...known.map(useOf), { value: 'NEW', label: newLabel }],
  })
  return answer === undefined || answer === 'NEW' ? answer : Number(answer)
}

/** If a new patient may be known already, asks which one it is: an id, or `SAVE` for a new one. */
export const askSamePatient = async (
  call: WriteCallWithQuestions,
  person: Identity,
): Promise<{ answer: number | 'SAVE' | undefined; candidates: number[] }> => {
  const known = await findKnown(call, person)
  if (known.length === 0) return { answer: 'SAVE', candidates: [] }
  const answer = call.questions.ask({
    code: samePatientQuestion,
    field: 'patientLastName',
    title: whichTitle,
    message: patientMessages.duplicate,
    duplicates: known,
    patientIds: known.map(({ id }) => id),
    choices: [...known.map(useOf), { value: 'SAVE', label: newLabel }],
  })
  return {
    answer: answer === undefined || answer === 'SAVE' ? answer : Number(answer),
    candidates: known.map(({ id }) => id),
  }
}

const whichTitle = 'Which patient?'
const newLabel = 'Make a new patient'

const findKnown = async ({ db, actor }: WriteCall, person: Identity): Promise<PatientRow[]> => {
  const { patientLastName: last, patientFirstName: first, patientDob: dob } = person
  const ids = await lockAndFindDuplicates(db, actor, last, first, dob)
  const rows = await Promise.all(ids.map((id) => findSuggestion(db, actor, id)))
  return rows.filter((row) => row !== undefined)
}

const useOf = (row: PatientRow) => {
  const facts = [row.patientGenderDesc, row.patientCity, row.patientStateCode].filter(Boolean).join(', ')
  return {
    value: String(row.id),
    label: `Use ${row.patientLastName}, ${row.patientFirstName} (${facts}, ID ${row.id})`,
  }
}
