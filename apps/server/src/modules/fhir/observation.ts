import { can, canAll, resultReadPermissions } from '@lis/contract/access/permissions.ts'
import type { Observation } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Sql } from '../../platform/lists.ts'
import { findReportContent, type ReportResult } from '../reports/content.ts'
import { contentOfVersion, joinLatestReleasedVersion } from '../reports/queries.ts'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { observationValue, type SaidResult } from './observation-value.ts'
import { organizationId } from './organization.ts'
import type { Reader } from './reader.ts'
import { isVisible, itemIdOf, ofPatient, ofRequisition, requisitionChanged } from './requisition-parts.ts'
import { codeIs, codeParam, instantParam, isAlways, numbersIn, referenceParam, tokenParam } from './search-values.ts'
import { specimenId } from './specimen.ts'
import { ownSystems, refer, systems, withoutEmpty } from './terms.ts'

interface ObservationRow extends BaseRow {
  reqId: number
  patientId: number
  labId: number
  status: Observation['status']
  itemId: number
  code: string
  name: string
  loinc: string | null
  partnerCode: string | null
  specimenPlace: number | null
  collectedAt: string
  issued: string | null
  live: string | null
  said: SaidResult | null
}

const isOut = sql`(p.lab_qc_status_code = 'RELEASE' and p.deleted_at is null)`
const hasCode = (list: string) =>
  sql`coalesce(said.content -> ${sql.lit(list)}, '[]') @> jsonb_build_array(jsonb_build_object('code', t.code))`

/** What a released or formerly released report says about the test: the released one first, then the latest. */
const saidOf = sql`(select jsonb_build_object('result', x.result, 'versionNo', x.version_no, 'isOut', x.is_out, 'releasedAt', x.release_at) from (
  select v.version_no, ${isOut} as is_out, coalesce(p.release_at, p.first_release_at) as release_at,
    (select e from jsonb_array_elements(coalesce(said.content -> 'results', '[]')) e where e ->> 'code' = t.code limit 1) as result
  from report p ${joinLatestReleasedVersion} cross join lateral (select ${contentOfVersion} as content) said
  where p.requisition_id = r.id and coalesce(p.first_release_at, p.release_at) is not null and (${hasCode('results')} or ${hasCode('withdrawn')})) x
  order by x.is_out desc, x.result is not null desc, x.release_at desc limit 1)`

/** Users who work with results see them before the release; all others see what a report says. */
const seesAll = ({ role }: Actor) => canAll(role, resultReadPermissions)

const isThere = ({ actor }: Reader): Sql =>
  seesAll(actor)
    ? sql`(rt.result is not null or rt.reportable_result is not null or rt.id <> f.id)`
    : sql`${saidOf} is not null`

const statusOf = (actor: Actor, said: Sql): Sql => sql`case
  when (${said} ->> 'isOut')::boolean and ${said} ->> 'result' is not null then case
    when ${said} #>> '{result,value}' = '' then 'cancelled' when (${said} ->> 'versionNo')::int > 1 then 'corrected' else 'final' end
  when ${sql.lit(seesAll(actor))} and rt.result is not null then 'preliminary'
  when ${sql.lit(seesAll(actor))} and ${said} is null then 'registered'
  else 'entered-in-error' end`

const specimenPlace = sql`(select x.place from (select s.type_code, row_number() over (order by s.id) as place from specimen s
  where s.requisition_id = r.id and s.deleted_at is null) x where x.type_code = any(t.specimen_type_codes) order by x.place limit 1)`

/** A test of a requisition has one Observation, with the id of its first row, even if it is removed, ordered again or retested. */
const isFirstOfTest = sql`not exists (select from requisition_test e where e.requisition_id = f.requisition_id and e.test_id = f.test_id and e.id < f.id)`

export const observationType = defineType<ObservationRow>({
  type: 'Observation',
  from: () => sql`requisition_test f ${ofRequisition(sql`f.requisition_id`)} join test t on t.id = f.test_id
    join requisition_test rt on rt.requisition_id = f.requisition_id and rt.test_id = f.test_id and rt.deleted_at is null and not rt.is_retest`,
  where: (reader) => [...isVisible(reader), isFirstOfTest, isThere(reader)],
  key: sql`f.id`,
  keyOf: numberKey,
  joins: sql`cross join lateral (select ${saidOf} as said offset 0) y
    left join lateral (select i.code from interface_order_item i where i.requisition_id = r.id and i.test_id = rt.test_id order by i.place limit 1) k on true`,
  lastUpdated: requisitionChanged(sql`f.created_at`),
  fields: ({ actor }) => ({
    reqId: sql`r.id`,
    patientId: sql`r.patient_id`,
    labId: sql`r.lab_id`,
    status: statusOf(actor, sql`y.said`),
    itemId: itemIdOf('rt'),
    code: sql`t.code`,
    name: sql`t.description`,
    loinc: sql`t.loinc_code`,
    partnerCode: sql`k.code`,
    specimenPlace: can(actor.role, 'requisitionTabs.specimens') ? specimenPlace : sql`null`,
    collectedAt: sql`r.collected_at`,
    issued: sql`coalesce((y.said ->> 'releasedAt')::timestamptz, rt.resulted_at)`,
    live: seesAll(actor) ? sql`coalesce(rt.reportable_result, rt.result)` : sql`null`,
    said: sql`case when (y.said ->> 'isOut')::boolean then y.said -> 'result' end`,
  }),
  params: {
    patient: ofPatient('subject'),
    status: codeParam(systems.observationStatus, ({ actor }) => codeIs(statusOf(actor, saidOf))),
    category: tokenParam(() => [{ system: systems.observationCategory, is: isAlways('laboratory') }]),
    code: tokenParam(({ base }) => [
      { system: systems.loinc, is: codeIs(sql`t.loinc_code`) },
      { system: ownSystems(base).test, is: codeIs(sql`t.code`) },
      {
        system: null,
        is: (code, system) =>
          system
            ? sql`false`
            : sql`exists (select from interface_order_item i where i.requisition_id = r.id and i.test_id = f.test_id and i.code = ${code})`,
      },
    ]),
    date: instantParam(sql`r.collected_at`),
    'based-on': referenceParam(
      'basedOn',
      ['ServiceRequest'],
      (
        ids,
      ) => sql`(r.id in (select e.requisition_id from requisition_test e where e.id = any(${numbersIn(ids)}::bigint[]))
        and ${itemIdOf('rt')} = any(${numbersIn(ids)}::bigint[]))`,
    ),
  },
  sorts: { date: sql`r.collected_at` },
  finish: addLive,
  toResource: (row, { base }): Observation =>
    withoutEmpty<Observation>({
      resourceType: 'Observation',
      id: String(row.key),
      meta: {
        lastUpdated: row.lastUpdated,
        profile: ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-observation-lab'],
      },
      basedOn: [refer('ServiceRequest', row.itemId)],
      status: row.status,
      category: [
        {
          coding: [{ system: systems.observationCategory, code: 'laboratory', display: 'Laboratory' }],
          text: 'Laboratory',
        },
      ],
      code: {
        coding: [
          ...(row.loinc ? [{ system: systems.loinc, code: row.loinc, display: row.name }] : []),
          { system: ownSystems(base).test, code: row.code, display: row.name },
          ...(row.partnerCode && row.partnerCode !== row.code && row.partnerCode !== row.loinc
            ? [{ code: row.partnerCode }]
            : []),
        ],
        text: row.name,
      },
      subject: refer('Patient', row.patientId),
      effectiveDateTime: row.collectedAt,
      issued: row.issued ?? undefined,
      performer: [refer('Organization', organizationId('lab', row.labId))],
      specimen: row.specimenPlace === null ? undefined : refer('Specimen', specimenId(row.reqId, row.specimenPlace)),
      ...observationValue(row.status === 'entered-in-error' ? null : row.said, row.status),
    }),
  subjects: ({ reqId, patientId }) => ({ reqId, patientId }),
})

/** Unit, range and interpretation of unreported results, by the rules of the report. */
async function addLive({ db }: Reader, rows: ObservationRow[]): Promise<ObservationRow[]> {
  const open = rows.filter(({ status }) => status === 'preliminary')
  const results = new Map<string, ReportResult>()
  for (const reqId of new Set(open.map((row) => row.reqId))) {
    const { results: all } = await findReportContent(db, reqId)
    for (const result of all) results.set(`${reqId} ${result.code}`, result)
  }
  return rows.map((row) =>
    row.status === 'preliminary'
      ? { ...row, said: results.get(`${row.reqId} ${row.code}`) ?? { value: row.live ?? '' } }
      : row,
  )
}
