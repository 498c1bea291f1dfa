import type { Lab, LabCreate, LabInput, Signer, SignerInput } from '@lis/contract/labs.ts'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Db, Trx } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { endOfDay, tableAsOf } from '../../platform/db/rows-as-of.ts'
import { findRow, type ListDefinition } from '../../platform/lists.ts'

/** For a day before the first version, the first version applies. */
const endOfLabDay = (id: number, day: string | undefined) =>
  day === undefined
    ? undefined
    : sql`(select greatest(${endOfDay(day, sql`l.zone`)}, min(v.valid_from) + interval '1 microsecond')
        from lab l left join record_version v on v.entity = 'lab' and v.entity_id = l.id where l.id = ${id}::bigint group by l.id)`

/** Undefined when the code is taken. */
export const insertLab = async (trx: Trx, { labCode, labName, labTz }: LabCreate) => {
  const { rows } = await sql<{ id: number }>`insert into lab (lab_code, name, zone, is_default)
    values (${labCode}, ${labName}, ${labTz}, not exists (select from lab where deleted_at is null))
    on conflict (lab_code) do nothing returning id`.execute(trx)
  return rows[0]
}

/** The record as it is, or as it was at the end of a day in its zone. */
export const findLab = (db: Db, id: number, asOf?: string): Promise<Lab | undefined> =>
  db
    .selectFrom(tableAsOf('lab', endOfLabDay(id, asOf), id).as('l'))
    .leftJoin('state as s', 's.id', 'l.state_id')
    .leftJoin('country as c', 'c.id', 'l.country_id')
    .select((eb) => [
      'l.id',
      'l.lab_code as labCode',
      'l.name as labName',
      'l.zone as labTz',
      'l.addr1 as labAddr1',
      'l.addr2 as labAddr2',
      'l.city as labCity',
      'l.state_id as labStateId',
      's.code as labState',
      'l.country_id as labCountryId',
      'c.long_name as labCountry',
      'l.zip as labZip',
      'l.phone as labPhone',
      'l.clia_number as cliaNumber',
      'l.director_name as directorName',
      jsonArrayFrom(
        eb
          .selectFrom(tableAsOf('lab_accreditation', endOfLabDay(id, asOf), id).as('a'))
          .select(['a.body_name as bodyName', 'a.accreditation_number as accreditationNumber', 'a.valid_to as validTo'])
          .whereRef('a.lab_id', '=', 'l.id')
          .orderBy('a.position'),
      ).as('accreditations'),
      flag01(eb.ref('l.is_signature_required')).as('isSignatureRequired'),
      'l.version',
    ])
    .where('l.id', '=', id)
    .where('l.deleted_at', 'is', null)
    .executeTakeFirst() as Promise<Lab | undefined>

export const lockLab = async (trx: Trx, id: number) => {
  await trx.selectFrom('lab').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

export const storeLab = async (trx: Trx, id: number, input: LabInput) => {
  await trx
    .updateTable('lab')
    .set({
      name: input.labName,
      zone: input.labTz,
      addr1: input.labAddr1,
      addr2: input.labAddr2,
      city: input.labCity,
      state_id: input.labStateId,
      country_id: input.labCountryId,
      zip: input.labZip,
      phone: input.labPhone,
      clia_number: input.cliaNumber,
      director_name: input.directorName,
      is_signature_required: input.isSignatureRequired === 1,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
  await trx.deleteFrom('lab_accreditation').where('lab_id', '=', id).execute()
  if (input.accreditations.length === 0) return
  await trx
    .insertInto('lab_accreditation')
    .values(
      input.accreditations.map(({ bodyName, accreditationNumber, validTo }, index) => ({
        lab_id: id,
        position: index + 1,
        body_name: bodyName,
        accreditation_number: accreditationNumber,
        valid_to: validTo,
      })),
    )
    .execute()
}

/** Which of country and state exist, the state within the country. */
export const findPlace = (db: Db, countryId: number | null, stateId: number | null) =>
  db
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('country').select('id').where('id', '=', countryId)).as('hasCountry'),
      exists(selectFrom('state').select('id').where('id', '=', stateId).where('country_id', '=', countryId)).as(
        'hasState',
      ),
    ])
    .executeTakeFirstOrThrow()

export const signerList = (labId: number): ListDefinition => ({
  from: sql`lab_signer g join app_user u on u.id = g.user_id join app_user granter on granter.id = g.granted_by
    cross join lateral (select coalesce(json_agg(d.id order by d.sort_order), '[]') as ids, coalesce(json_agg(d.name order by d.sort_order), '[]') as names
      from lab_signer_department x join department d on d.id = x.department_id where x.lab_signer_id = g.id) dept`,
  where: [sql`g.lab_id = ${labId}`],
  fields: {
    id: sql`g.id`,
    userId: sql`g.user_id`,
    userName: sql`u.first_name || ' ' || u.last_name`,
    deptIds: sql`dept.ids`,
    deptNames: sql`dept.names`,
    qualifications: sql`g.qualifications`,
    identityCheckedBy: sql`g.identity_checked_by`,
    validFrom: sql`g.valid_from`,
    validTo: sql`g.valid_to`,
    grantedByName: sql`granter.first_name || ' ' || granter.last_name`,
    version: sql`g.version`,
  },
  sort: { userName: sql`lower(u.last_name)` },
  filter: {},
  defaultOrder: sql`g.id`,
  key: sql`g.id`,
})

export const findSigner = (db: Db, labId: number, id: number) => findRow<Signer>(db, signerList(labId), id)

export const lockSigner = async (trx: Trx, id: number) => {
  await trx.selectFrom('lab_signer').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** Locked against a change of role until the transaction ends. */
export const lockUser = (trx: Trx, id: number) =>
  trx
    .selectFrom('app_user')
    .select(['role_code as role', 'status_code as status'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('is_api_client', '=', sql.lit(false))
    .forShare()
    .executeTakeFirst()

export const findUnknownDepartments = async (db: Db, ids: readonly number[]): Promise<number[]> => {
  const known = await db
    .selectFrom('department')
    .select('id')
    .where('id', 'in', [0, ...ids])
    .execute()
  return ids.filter((id) => !known.some((row) => row.id === id))
}

export const insertSigner = async (trx: Trx, labId: number, input: SignerInput, grantedBy: number): Promise<number> => {
  const { id } = await trx
    .insertInto('lab_signer')
    .values({
      lab_id: labId,
      user_id: input.userId,
      qualifications: input.qualifications,
      identity_checked_by: input.identityCheckedBy,
      valid_from: input.validFrom,
      valid_to: input.validTo,
      granted_by: grantedBy,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (input.deptIds.length > 0)
    await trx
      .insertInto('lab_signer_department')
      .values(input.deptIds.map((departmentId) => ({ lab_signer_id: id, department_id: departmentId })))
      .execute()
  return id
}

export const endSignerOn = async (trx: Trx, id: number, validTo: string) => {
  await trx
    .updateTable('lab_signer')
    .set({ valid_to: validTo, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
}
