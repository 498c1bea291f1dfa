import type { CodeableConcept, ServiceRequest } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import type { Sql } from '../../platform/lists.ts'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { organizationId } from './organization.ts'
import {
  accessionParam,
  isSameItem,
  isVisible,
  ofPatient,
  ofRequisition,
  orderNumberParam,
  requisitionChanged,
} from './requisition-parts.ts'
import { codeIs, codeParam, instantParam, systemIs, tokenParam } from './search-values.ts'
import { accessionIdentifier, ownSystems, placerIdentifier, refer, systems, withoutEmpty } from './terms.ts'

interface OrderedItemRow extends BaseRow {
  reqId: number
  patientId: number
  status: string
  code: string
  name: string
  loinc: string | null
  partnerCode: string | null
  partnerName: string | null
  partnerSystem: string | null
  placer: string | null
  placerSystem: string | null
  physicianId: number
  physicianName: string
  labId: number
  collectedAt: string
  authoredOn: string
  isStat: boolean
  icds: { code: string; name: string }[]
}

/** Ordered items: the first row of each panel, and of each test that was ordered by itself. */
export const fromOrderedItems = sql`requisition_test f ${ofRequisition(sql`f.requisition_id`)}
  join test t on t.id = f.test_id left join panel n on n.id = f.panel_id`
export const isFirstOfItem = sql`not exists (select from requisition_test e where e.id < f.id and ${isSameItem('e', 'f')})`

const isRemoved = sql`not exists (select from requisition_test e where e.deleted_at is null and ${isSameItem('e', 'f')})`

/** Statuses in which the results are released. */
const isReleased = sql`exists (select from requisition_status_type st where st.code = r.status_code
  and st.sort_order >= (select sort_order from requisition_status_type where code = 'RELEASE'))`

const status = sql`case when ${isRemoved} then 'revoked' when ${isReleased} then 'completed' else 'active' end`

/** The name used by the system that placed the order. */
const isOfItem = sql`i.requisition_id = r.id and (i.panel_id = f.panel_id or (f.panel_id is null and i.test_id = f.test_id))`
const codingSystem = sql`case when i.coding_system = 'LN' then ${sql.lit(systems.loinc)} when i.coding_system like '%:%' then i.coding_system else '' end`
const partnerItem = sql`left join lateral (select i.placer_number, i.placer_system, i.code, i.name, ${codingSystem} as coding_system
  from interface_order_item i where ${isOfItem} order by i.placer_number, i.place limit 1) k on true`

const isPartnerCode = (code: string | null, system: string | null): Sql =>
  sql`exists (select from interface_order_item i where ${isOfItem} and ${codeIs(sql`i.code`)(code)} and ${systemIs(codingSystem, system)})`

const isTestCode = (code: string | null): Sql =>
  sql`case when f.panel_id is null then ${codeIs(sql`t.code`)(code)} else ${codeIs(sql`n.code`)(code)} end`

export const serviceRequestType = defineType<OrderedItemRow>({
  type: 'ServiceRequest',
  from: () => fromOrderedItems,
  where: (reader) => [...isVisible(reader), isFirstOfItem],
  key: sql`f.id`,
  keyOf: numberKey,
  joins: sql`join physician ph on ph.id = r.physician_id ${partnerItem}`,
  lastUpdated: requisitionChanged(sql`f.created_at`),
  fields: () => ({
    reqId: sql`r.id`,
    patientId: sql`r.patient_id`,
    status,
    code: sql`case when f.panel_id is null then t.code else n.code end`,
    name: sql`case when f.panel_id is null then t.description else n.description end`,
    loinc: sql`case when f.panel_id is null then t.loinc_code end`,
    partnerCode: sql`k.code`,
    partnerName: sql`k.name`,
    partnerSystem: sql`k.coding_system`,
    placer: sql`coalesce(k.placer_number, r.ext_order_id)`,
    placerSystem: sql`k.placer_system`,
    physicianId: sql`ph.id`,
    physicianName: sql`ph.first_name || ' ' || ph.last_name`,
    labId: sql`r.lab_id`,
    collectedAt: sql`r.collected_at`,
    authoredOn: sql`r.logged_at`,
    isStat: sql`exists (select from requisition_flag x join flag g on g.id = x.flag_id where x.requisition_id = r.id and g.code = 'STAT')`,
    icds: sql`(select coalesce(json_agg(json_build_object('code', d.code, 'name', d.description) order by x.added_order), '[]')
      from requisition_icd x join icd d on d.id = x.icd_id where x.requisition_id = r.id)`,
  }),
  params: {
    patient: ofPatient('subject'),
    status: codeParam(systems.requestStatus, () => codeIs(status)),
    identifier: orderNumberParam,
    requisition: accessionParam,
    code: tokenParam(({ base }) => [
      { system: ownSystems(base).test, is: isTestCode },
      { system: null, is: isPartnerCode },
      { system: systems.loinc, is: (code) => sql`(f.panel_id is null and ${codeIs(sql`t.loinc_code`)(code)})` },
    ]),
    authored: instantParam(sql`r.logged_at`),
  },
  sorts: { authored: sql`r.logged_at` },
  toResource: (row, { base }): ServiceRequest =>
    withoutEmpty<ServiceRequest>({
      resourceType: 'ServiceRequest',
      id: String(row.key),
      meta: { lastUpdated: row.lastUpdated },
      identifier: [...placerIdentifier(row), accessionIdentifier(base, row.reqId)],
      requisition: { system: ownSystems(base).accession, value: String(row.reqId) },
      status: row.status as ServiceRequest['status'],
      intent: 'order',
      category: [
        { coding: [{ system: 'http://snomed.info/sct', code: '108252007', display: 'Laboratory procedure' }] },
      ],
      priority: row.isStat ? 'stat' : 'routine',
      code: itemCode(row, base),
      subject: refer('Patient', row.patientId),
      occurrenceDateTime: row.collectedAt,
      authoredOn: row.authoredOn,
      requester: refer('Practitioner', row.physicianId, row.physicianName),
      performer: [refer('Organization', organizationId('lab', row.labId))],
      reasonCode: row.icds.map(({ code, name }) => ({ coding: [{ system: systems.icd10, code, display: name }] })),
    }),
  subjects: ({ reqId, patientId }) => ({ reqId, patientId }),
})

/** Our code and LOINC, and what the partner calls it. */
const itemCode = (
  row: Pick<OrderedItemRow, 'code' | 'name' | 'loinc' | 'partnerCode' | 'partnerName' | 'partnerSystem'>,
  base: string,
): CodeableConcept => ({
  coding: [
    ...(row.loinc ? [{ system: systems.loinc, code: row.loinc, display: row.name }] : []),
    { system: ownSystems(base).test, code: row.code, display: row.name },
    ...(row.partnerCode && row.partnerCode !== row.code && row.partnerCode !== row.loinc
      ? [
          withoutEmpty({
            system: row.partnerSystem ?? undefined,
            code: row.partnerCode,
            display: row.partnerName ?? undefined,
          }),
        ]
      : []),
  ],
  text: row.name,
})
