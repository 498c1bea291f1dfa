import { guarantorInput, insuranceInput } from '@lis/contract/billing.ts'
import { isIcd10Shape } from '@lis/contract/icd-code.ts'
import { sql } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { Questions } from '../../platform/http/questions.ts'
import { addIcds } from '../billing/icd-service.ts'
import { addInsurance } from '../billing/insurance-service.ts'
import { findIcd, getOrCreateBilling } from '../billing/queries.ts'
import { saveBilling } from '../billing/service.ts'
import { addLabNote } from '../lab-notes/service.ts'
import type { IncomingGuarantor, IncomingInsurance, IncomingOrder } from './incoming-order.ts'
import { findState } from './patient-contact.ts'

// Additional details of an order. Details that cannot be stored do not hold the order: they are written to a lab note as sent.

/** The system of a partner cannot answer questions, so its data is saved as sent. */
const confirmed = (...codes: string[]) => new Questions(Object.fromEntries(codes.map((code) => [code, 'SAVE'])))

const mostIcds = 12

export const addDiagnoses = async (call: WriteCall, requisitionId: number, icds: IncomingOrder['icds']) => {
  const found: number[] = []
  const left: string[] = []
  for (const { code, name } of icds) {
    const known = await findIcd(call.db, code.toUpperCase())
    if (known && (found.includes(known.id) || found.length < mostIcds)) found.push(known.id)
    else left.push([code, name].filter(Boolean).join(' '))
  }
  const ids = [...new Set(found)]
  if (ids.length > 0)
    await addIcds({ ...call, questions: new Questions() }, requisitionId, { icdIds: ids, customIcd: null })
  const unknown: string[] = []
  for (const text of left) {
    const [code = '', ...words] = text.split(' ')
    if (ids.length < mostIcds && (await addCustom(call, requisitionId, code, words.join(' ')))) continue
    unknown.push(text)
  }
  if (unknown.length > 0) await addNotes(call, requisitionId, [`Diagnosis as sent: ${unknown.join('; ')}`])
}

const addCustom = async (call: WriteCall, requisitionId: number, code: string, name: string): Promise<boolean> => {
  const upper = code.toUpperCase()
  if (!isIcd10Shape(upper)) return false
  return tried(call, () =>
    addIcds({ ...call, questions: confirmed('ICD_SHAPE') }, requisitionId, {
      icdIds: [],
      customIcd: { icdCode: upper, icdDesc: name || upper },
    }),
  )
}

/** True if it succeeded; false if a rule refuses it, and then nothing of it is written. */
const tried = async ({ db }: WriteCall, work: () => Promise<unknown>): Promise<boolean> => {
  await sql`savepoint order_detail`.execute(db)
  try {
    await work()
    await sql`release savepoint order_detail`.execute(db)
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await sql`rollback to savepoint order_detail`.execute(db)
    return false
  }
}

export const addInsurances = async (
  call: WriteCall,
  requisitionId: number,
  insurances: readonly IncomingInsurance[],
) => {
  if (insurances.length === 0) return
  const { billId } = await getOrCreateBilling(call.db, requisitionId)
  const taken = new Set<number>()
  for (const one of insurances.toSorted((a, b) => a.order - b.order)) {
    const order = [one.order, 1, 2, 3, 4].find((place) => place >= 1 && place <= 4 && !taken.has(place))
    const input = order === undefined ? undefined : await readInsurance(call, one, order)
    const isStored =
      input !== undefined &&
      (await tried(call, () =>
        addInsurance({ ...call, questions: confirmed('SAME_POLICY') }, { id: requisitionId, billId }, input),
      ))
    if (isStored && order !== undefined) taken.add(order)
    else await addNotes(call, requisitionId, [`Insurance as sent: ${textOf(one)}`])
  }
}

const textOf = ({ companyName, companyNo, policyNo, groupNo, holder }: IncomingInsurance) =>
  [companyName, companyNo, policyNo, groupNo, holder].filter(Boolean).join(', ')

const readInsurance = async ({ db }: WriteCall, one: IncomingInsurance, order: number) => {
  const { rows } = await sql<{ name: string; payer_no: string | null }>`select name, payer_no from insurance_company
    where deleted_at is null and ((${one.companyNo} <> '' and payer_no = ${one.companyNo}) or lower(name) in (lower(${one.companyName}), lower(${one.companyNo})))
    order by payer_no = ${one.companyNo} desc nulls last, id limit 1`.execute(db)
  const [listed] = rows
  const parsed = insuranceInput.safeParse({
    billingOrder: order,
    insuranceCompany: listed?.name ?? (one.companyName || one.companyNo),
    insuranceCompanyNo: listed?.payer_no ?? (one.companyNo || null),
    policyHolder: one.holder,
    policyNo: one.policyNo,
    groupNo: one.groupNo,
    insuredDob: one.insuredDob,
  })
  return parsed.success ? parsed.data : undefined
}

export const addGuarantor = async (call: WriteCall, requisitionId: number, guarantor: IncomingGuarantor) => {
  const bill = await getOrCreateBilling(call.db, requisitionId)
  const state = await findState(call.db, guarantor.state)
  const isPatient =
    bill.patient.guarantorLastName.toLowerCase() === guarantor.lastName.toLowerCase() &&
    bill.patient.guarantorFirstName.toLowerCase() === guarantor.firstName.toLowerCase()
  const parsed = guarantorInput.safeParse({
    relationTypeCode: guarantor.relation ?? (isPatient ? 'SELF' : 'OTHER'),
    guarantorFirstName: guarantor.firstName,
    guarantorLastName: guarantor.lastName,
    guarantorDob: guarantor.dob ?? (isPatient ? bill.patient.guarantorDob : null),
    guarantorGenderCode: guarantor.sex ?? (isPatient ? bill.patient.guarantorGenderCode : null),
    guarantorStateId: state?.id ?? (isPatient ? bill.patient.guarantorStateId : null),
    guarantorCity: guarantor.city,
    guarantorZip: guarantor.zip,
    guarantorAddr1: guarantor.addr1,
    guarantorAddr2: guarantor.addr2,
  })
  const isStored =
    parsed.success &&
    (await tried(call, () =>
      saveBilling(
        { ...call, questions: confirmed('SELF_OTHER_NAME') },
        { id: requisitionId, billId: bill.billId },
        { ...parsed.data, reqBillTypeCode: undefined },
        null,
      ),
    ))
  if (!isStored) await addNotes(call, requisitionId, [`Guarantor as sent: ${guarantor.text}`])
}

const longestNote = 4000

export const addNotes = async (call: WriteCall, requisitionId: number, notes: readonly string[]) => {
  if (notes.length === 0) return
  const { rows } = await sql<{ id: number }>`select id from lab_note_type where code = 'OTHER'`.execute(call.db)
  const [type] = rows
  if (!type) return
  for (const note of notes)
    await addLabNote(call, requisitionId, { labNoteTypeId: type.id, note: note.slice(0, longestNote) })
}
