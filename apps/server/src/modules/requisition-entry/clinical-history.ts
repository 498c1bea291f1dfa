import {
  bloodPressureErrors,
  heightErrors,
  historyCodes,
  historyFlags,
  historyLabels,
  type PatientHistory,
  totalInches,
} from '@lis/contract/clinical-history.ts'
import { messages } from '@lis/contract/messages.ts'
import type { HistoryUpdate } from '@lis/contract/requisitions/edit.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalidFields } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { activeCodes, type IsActiveCode } from '../lookups/queries.ts'
import { differences } from '../patients/service.ts'

type Flag = (typeof historyFlags)[number]
const columnOf: Record<Flag, string> = {
  isSmoker: 'is_smoker',
  isDiabetic: 'is_diabetic',
  isFamilyHistory: 'is_family_history',
  isPatientHistory: 'is_patient_history',
  isStress: 'is_stress',
  isLowHdl: 'is_low_hdl',
  isLipidMed: 'is_lipid_med',
  isHypertension: 'is_hypertension',
  isBloodMed: 'is_blood_med',
  isMedNecessity: 'is_med_necessity',
  isObesity: 'is_obesity',
  isCovidVac: 'is_covid_vac',
  isSelfT2DGest: 'is_self_t2d_gest',
}

/** The clinical history of a requisition; one never recorded is empty with version 0. */
export const findHistory = async (db: Db, requisitionId: number): Promise<PatientHistory> => {
  const flags = historyFlags.map((name) => sql`h.${sql.ref(columnOf[name])}::int as ${sql.ref(name)}`)
  const { rows } = await sql<{ row: PatientHistory }>`select row_to_json(x) as row from (
    select r.id, ${sql.join(flags)}, h.fam_hist_t2d_code as "famHistT2DCode",
      (select description from lov where type_code = 'FAMHISTT2D' and code = h.fam_hist_t2d_code) as "famHistT2DDesc",
      h.sbp, h.dbp, h.weight, coalesce(h.weight_uom, 'LBS') as "weightUom", h.height_inches as "heightInches", h.height_cm as "heightCm",
      coalesce(h.height_uom, 'INCH') as "heightUom", coalesce(h.version, 0) as version
    from requisition r left join patient_history h on h.requisition_id = r.id where r.id = ${requisitionId}) x`.execute(
    db,
  )
  return (rows[0] as { row: PatientHistory }).row
}

export const heightOf = ({ heightUom, heightInches, heightCm }: PatientHistory) => ({
  heightUom,
  heightInches,
  heightCm,
})

/** Writes the fields that are sent and returns the history. */
export const writeHistory = async (
  call: WriteCall,
  requisitionId: number,
  sent: HistoryUpdate,
  expected: number | null = null,
): Promise<PatientHistory> => {
  const { db, actor, requestId } = call
  const before = await findHistory(db, requisitionId)
  await requireVersion(db, 'patient_history', expected, before)
  const columns = columnsOf(sent, before, await activeCodes(db, historyCodeTypes))
  await db
    .insertInto('patient_history')
    .values({ requisition_id: requisitionId, ...columns })
    .onConflict((oc) =>
      oc.column('requisition_id').doUpdateSet({ ...columns, version: sql<number>`patient_history.version + 1` }),
    )
    .execute()
  const after = await findHistory(db, requisitionId)
  const { version: _, ...old } = before
  const { version: __, ...now } = after
  const changed = differences(old, now)
  if (before.version > 0 && Object.keys(changed.new).length > 0)
    await recordAudit(db, actor, requestId, {
      entity: 'patient_history',
      entityId: requisitionId,
      requisitionId,
      action: 'EDIT',
      ...changed,
    })
  return after
}

/** The lookup lists of the history's codes. */
export const historyCodeTypes = Object.values(historyCodes)

/** The history row of a new requisition; throws when a field is invalid. */
export const newHistoryRow = (sent: HistoryUpdate, isActive: IsActiveCode) => columnsOf(sent, noHistory, isActive)

const noHistory = {
  sbp: null,
  dbp: null,
  weightUom: 'LBS',
  heightUom: 'INCH',
  heightInches: null,
  heightCm: null,
} as const
type Before = Pick<PatientHistory, 'sbp' | 'dbp' | 'weightUom' | 'heightUom' | 'heightInches' | 'heightCm'> &
  Partial<PatientHistory>

const columnsOf = (sent: HistoryUpdate, before: Before, isActive: IsActiveCode) => {
  const flags = historyFlags
    .filter((name) => sent[name] !== undefined)
    .map((name) => [columnOf[name], sent[name] === null ? null : sent[name] === 1])
  const plain = Object.entries({
    sbp: sent.sbp,
    dbp: sent.dbp,
    weight: sent.weight,
    weight_uom: sent.weightUom,
    fam_hist_t2d_code: sent.famHistT2DCode,
  }).filter(([, value]) => value !== undefined)
  requirePressure(sent, before)
  requireKnownCodes(sent, before, isActive)
  return Object.fromEntries([...flags, ...plain, ...heightColumns(sent, before)])
}

/** One of the two may be sent alone. If neither is sent, invalid stored values are left alone. */
const requirePressure = ({ sbp, dbp }: HistoryUpdate, before: Before) => {
  if (sbp === undefined && dbp === undefined) return
  const faults = bloodPressureErrors({
    sbp: sbp === undefined ? before.sbp : sbp,
    dbp: dbp === undefined ? before.dbp : dbp,
  })
  if (faults.length > 0) throw invalidFields(faults)
}

/** The height is stored in the unit it was measured in; the other is cleared. */
const heightColumns = (sent: HistoryUpdate, before: Before): [string, unknown][] => {
  const names = ['heightFeet', 'heightInches', 'heightCm', 'heightUom'] as const
  if (names.every((name) => sent[name] === undefined)) return []
  const heightUom = sent.heightUom ?? before.heightUom
  const faults = heightErrors({ ...sent, heightUom })
  if (faults.length > 0) throw invalidFields(faults)
  const inches =
    sent.heightFeet === undefined && sent.heightInches === undefined ? before.heightInches : totalInches(sent)
  const cm = sent.heightCm === undefined ? before.heightCm : sent.heightCm
  return [
    ['height_uom', heightUom],
    ['height_inches', heightUom === 'INCH' ? inches : null],
    ['height_cm', heightUom === 'CM' ? cm : null],
  ]
}

const requireKnownCodes = (sent: HistoryUpdate, before: Before, isActive: IsActiveCode) => {
  const fields = Object.keys(historyCodes) as (keyof typeof historyCodes)[]
  const wrong = fields.filter((field) => {
    const code = sent[field]
    return code !== undefined && code !== before[field] && !isActive(historyCodes[field], code)
  })
  if (wrong.length > 0)
    throw invalidFields(wrong.map((field) => ({ field, message: messages.invalid(historyLabels[field]) })))
}
