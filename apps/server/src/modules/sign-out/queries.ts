import type { WaitingReport } from '@lis/contract/sign-out.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint, flag01 } from '../../platform/db/expressions.ts'
import { findRow, isOneOf, isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'

/** The department whose signers answer for reports; a grant without departments covers it too. */
const signingDepartment = 'LAB'

/** A right to sign `g` is in force today, where laboratory `lab` is. */
const inForce = (
  lab: Sql,
) => sql`g.lab_id = ${lab} and g.valid_from <= (now() at time zone (select zone from lab where id = ${lab}))::date
  and (g.valid_to is null or g.valid_to >= (now() at time zone (select zone from lab where id = ${lab}))::date)`

/** A right to sign `g` covers reports. */
const coversReports = sql`(not exists (select from lab_signer_department x where x.lab_signer_id = g.id)
  or exists (select from lab_signer_department x join department d on d.id = x.department_id where x.lab_signer_id = g.id and d.code = ${sql.lit(signingDepartment)}))`

const maySign = (userId: number, lab: Sql) =>
  sql<boolean>`exists (select from lab_signer g where g.user_id = ${userId} and ${inForce(lab)} and ${coversReports})`

const isCritical = sql<boolean>`exists (select from critical_call c where c.requisition_id = r.id and c.is_critical and c.state <> 'SUPERSEDED')`
const isAbnormal = sql<boolean>`jsonb_path_exists(v.content, '$.results[*] ? (@.flag <> "")')`

/** What a signer should see first: everything that a check would warn about, and everything not known to be normal. */
const needsLook = sql<boolean>`(not v.is_made_here or v.version_no > 1 or ${isCritical}
  or not jsonb_path_exists(v.content, '$.results[*]') or jsonb_path_exists(v.content, '$.results[*] ? (!(@.isNormal == true))')
  or jsonb_path_exists(v.content, '$.pending[*]') or jsonb_path_exists(v.content, '$.comments[*]')
  or l.addr1 is null or l.city is null or l.zip is null or l.clia_number is null or l.director_name is null
  or not exists (select from specimen s where s.requisition_id = r.id and s.deleted_at is null)
  or exists (select from issue i where i.requisition_id = r.id and i.deleted_at is null and i.status_code not in ('RESOLVED', 'CLOSED')))`

const search = sql`(r.id::text || ' ' || p.last_name || ', ' || p.first_name || ' ' || p.last_name)`

/** Reports that wait for a decision, in laboratories where reports are signed. */
export const signOutList = (actor: Actor): ListDefinition => ({
  from: sql`report q join report_version v on v.report_id = q.id and v.version_no = q.current_version_no
    join requisition r on r.id = q.requisition_id and r.deleted_at is null join requisition_patient p on p.requisition_id = r.id join lab l on l.id = r.lab_id`,
  where: [
    sql`q.lab_qc_status_code in ('PENDING', 'MD')`,
    sql`q.deleted_at is null`,
    // Known before any report is read.
    sql`(select exists (select from lab l where l.is_signature_required or exists (select from lab_signer g where ${inForce(sql`l.id`)})))`,
    sql`(l.is_signature_required or exists (select from lab_signer g where ${inForce(sql`l.id`)}))`,
  ],
  fields: {
    reportId: sql`q.id`,
    reqId: sql`r.id`,
    versionNo: sql`v.version_no`,
    labId: sql`l.id`,
    patientFirstName: sql`p.first_name`,
    patientLastName: sql`p.last_name`,
    patientDob: sql`p.dob`,
    testCodes: sql`coalesce((select jsonb_agg(t -> 'code') from jsonb_array_elements(v.content -> 'results') t), '[]')`,
    waitingSince: sql`v.created_at`,
    isCritical: flag01(isCritical),
    isAbnormal: flag01(isAbnormal),
    isCorrected: flag01(sql`v.version_no > 1`),
    needsLook: flag01(needsLook),
    mayUserSign: flag01(maySign(actor.userId, sql`l.id`)),
    isMadeHere: flag01(sql`v.is_made_here`),
  },
  sort: { reportId: sql`q.id`, waitingSince: sql`v.created_at` },
  filter: {
    labId: isOneOfIds(sql`l.id`, 'labId'),
    isAbnormal: isOneOf(sql`(case when ${isAbnormal} then '1' else '0' end)`),
    search: (value) => sql`${search} ilike '%' || ${String(value).replace(/[\\%_]/g, '\\$&')} || '%'`,
  },
  defaultOrder: sql`${isCritical} desc, ${needsLook} desc, v.created_at`,
  key: sql`q.id`,
})

export const findWaiting = (db: Db, actor: Actor, reportId: number) =>
  findRow<WaitingReport>(db, signOutList(actor), reportId)

/** A report in the scope of the reader, with the data that planning its release needs. */
export const findReport = (db: Db, id: number) =>
  db
    .selectFrom('report as q')
    .innerJoin('requisition as r', 'r.id', 'q.requisition_id')
    .select(['q.id', 'q.requisition_id', 'q.current_version_no', 'q.release_at', 'q.lab_qc_status_code', 'r.lab_id'])
    .where('q.id', '=', bigint(id))
    .where('q.deleted_at', 'is', null)
    .where('r.deleted_at', 'is', null)
    .executeTakeFirst()

export interface Grant {
  id: number
  labId: number
  labName: string
  zone: string
  qualifications: string
  coversReports: boolean
}

/** The rights to sign that a user has today, the widest first. */
export const listGrants = async (db: Db, userId: number): Promise<Grant[]> => {
  const { rows } = await sql<Grant>`
    select g.id, g.lab_id as "labId", l.name as "labName", l.zone, g.qualifications, ${coversReports} as "coversReports"
    from lab_signer g join lab l on l.id = g.lab_id where g.user_id = ${userId} and ${inForce(sql`g.lab_id`)}
    order by ${coversReports} desc, g.id`.execute(db)
  return rows
}

/** No laboratory signs more reports on one day. */
const mostPerDay = 5000

/** Reports signed today, each by the clock of its laboratory. Signatures are only ever added, so today's have the highest ids. */
export const countSignedToday = async (db: Db, userId: number) => {
  const { rows } = await sql<{ signedCount: number; ownCount: number }>`
    select count(distinct report_id)::int as "signedCount", (count(distinct report_id) filter (where user_id = ${userId}::int))::int as "ownCount"
    from (select report_id, user_id, signed_at, signed_zone from report_signature order by id desc limit ${sql.lit(mostPerDay)}) s
    where (signed_at at time zone signed_zone)::date = (now() at time zone signed_zone)::date`.execute(db)
  return rows[0] as (typeof rows)[number]
}

interface StoredSignature {
  id: number
  versionNo: number
  userId: number
  signerName: string
  qualifications: string
  meaningCode: string
  signedAt: string
  signedTz: string
  contentSha256: string
  fileSha256: string
  voidDate: string | null
  voidReason: string | null
}

export const listSignatures = async (db: Db, reportId: number): Promise<StoredSignature[]> => {
  const { rows } = await sql<StoredSignature>`
    select s.id, s.version_no as "versionNo", s.user_id as "userId", s.signer_name as "signerName", s.qualifications, s.meaning_code as "meaningCode",
      s.signed_at as "signedAt", s.signed_zone as "signedTz", encode(s.content_sha256, 'hex') as "contentSha256", encode(s.file_sha256, 'hex') as "fileSha256",
      x.voided_at as "voidDate", x.reason as "voidReason"
    from report_signature s left join report_signature_void x on x.signature_id = s.id where s.report_id = ${reportId}::bigint order by s.id`.execute(
    db,
  )
  return rows
}

/** How long after a signature the next one in the same session needs no second factor. */
const codeFreeMinutes = 30

export const isCodeNeeded = async (db: Db, sessionId: string): Promise<boolean> => {
  const recent = await db
    .selectFrom('signing_session')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .where('signed_at', '>', sql<string>`now() - make_interval(mins => ${codeFreeMinutes})`)
    .executeTakeFirst()
  return recent === undefined
}

export const markSigned = async (db: Db, sessionId: string) => {
  await db
    .insertInto('signing_session')
    .values({ session_id: sessionId })
    .onConflict((oc) => oc.column('session_id').doUpdateSet({ signed_at: sql<string>`now()` }))
    .execute()
}
