import type { DiagnosticReport } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import { contentOfVersion, joinLatestReleasedVersion } from '../reports/queries.ts'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { organizationId } from './organization.ts'
import {
  isVisible,
  itemIdOf,
  ofPatient,
  ofRequisition,
  orderNumberParam,
  requisitionChanged,
} from './requisition-parts.ts'
import { codeIs, codeParam, instantParam, isAlways, numbersIn, referenceParam, tokenParam } from './search-values.ts'
import { accessionIdentifier, placerIdentifier, refer, systems, withoutEmpty } from './terms.ts'

interface ReportRow extends BaseRow {
  reqId: number
  patientId: number
  physicianId: number
  labId: number
  status: DiagnosticReport['status']
  versionNo: number
  placer: string | null
  placerSystem: string | null
  collectedAt: string
  releasedAt: string
  fileName: string
  madeAt: string
  itemIds: number[]
  resultIds: number[]
  reason: string | null
}

const reportCode = '11502-2'
const reportName = 'Laboratory report'

/** A released report. One that was released and is now held or removed reads `entered-in-error`. */
const isOut = sql`(p.lab_qc_status_code = 'RELEASE' and p.deleted_at is null)`
const wasOut = sql`coalesce(p.first_release_at, p.release_at) is not null`

const currentContent = sql`(select ${contentOfVersion} from report_version v where v.report_id = p.id and v.version_no = p.current_version_no)`
const status = sql`case when not ${isOut} then 'entered-in-error' when p.current_version_no > 1 then 'corrected'
  when jsonb_array_length(coalesce(${currentContent} -> 'pending', '[]')) > 0 then 'partial' else 'final' end`

/** The Observations of the results in the version: the first row of each test, as numbered by `observation.ts`. */
const resultIds = (
  content: ReturnType<typeof sql>,
) => sql`array(select min(e.id) from requisition_test e join test t on t.id = e.test_id
  where e.requisition_id = r.id and t.code in (select x ->> 'code' from jsonb_array_elements(coalesce(${content} -> 'results', '[]')) x)
    and exists (select from requisition_test c where c.requisition_id = r.id and c.test_id = e.test_id and c.deleted_at is null and not c.is_retest)
  group by t.sort_order, t.id order by t.sort_order, t.id)`

const itemIds = sql`array(select min(e.id) from requisition_test e where e.requisition_id = r.id
  group by e.panel_id, case when e.panel_id is null then e.test_id end order by 1)`

export const diagnosticReportType = defineType<ReportRow>({
  type: 'DiagnosticReport',
  from: () => sql`report p ${ofRequisition(sql`p.requisition_id`)}`,
  where: (reader) => [...isVisible(reader), sql`(${isOut} or ${wasOut})`],
  key: sql`p.id`,
  keyOf: numberKey,
  joins: sql`${joinLatestReleasedVersion} join stored_file file on file.id = v.file_id
    cross join lateral (select case when ${isOut} then ${contentOfVersion} end as content) said`,
  lastUpdated: requisitionChanged(sql`p.created_at`),
  fields: () => ({
    reqId: sql`r.id`,
    patientId: sql`r.patient_id`,
    physicianId: sql`r.physician_id`,
    labId: sql`r.lab_id`,
    status: sql`case when not ${isOut} then 'entered-in-error' when p.current_version_no > 1 then 'corrected'
      when jsonb_array_length(coalesce(said.content -> 'pending', '[]')) > 0 then 'partial' else 'final' end`,
    versionNo: sql`v.version_no`,
    placerSystem: sql`(select i.placer_system from interface_order_item i where i.requisition_id = r.id order by i.placer_number, i.place limit 1)`,
    placer: sql`coalesce((select min(i.placer_number) from interface_order_item i where i.requisition_id = r.id), r.ext_order_id)`,
    collectedAt: sql`r.collected_at`,
    releasedAt: sql`coalesce(p.release_at, p.first_release_at)`,
    fileName: sql`file.original_name`,
    madeAt: sql`v.created_at`,
    itemIds,
    resultIds: resultIds(sql`said.content`),
    reason: sql`v.correction_reason`,
  }),
  params: {
    patient: ofPatient('subject'),
    status: codeParam(systems.reportStatus, () => codeIs(status)),
    category: tokenParam(() => [{ system: systems.diagnosticService, is: isAlways('LAB') }]),
    identifier: orderNumberParam,
    code: tokenParam(() => [{ system: systems.loinc, is: isAlways(reportCode) }]),
    date: instantParam(sql`r.collected_at`),
    issued: instantParam(sql`coalesce(p.release_at, p.first_release_at)`),
    'based-on': referenceParam(
      'basedOn',
      ['ServiceRequest'],
      (ids) =>
        sql`r.id in (select e.requisition_id from requisition_test e where e.id = any(${numbersIn(ids)}::bigint[]) and ${itemIdOf('e')} = e.id)`,
    ),
    result: referenceParam(
      'result',
      ['Observation'],
      (
        ids,
      ) => sql`(r.id in (select e.requisition_id from requisition_test e where e.id = any(${numbersIn(ids)}::bigint[]))
        and ${isOut} and ${resultIds(currentContent)} && ${numbersIn(ids)}::bigint[])`,
    ),
  },
  sorts: { date: sql`r.collected_at`, issued: sql`coalesce(p.release_at, p.first_release_at)` },
  toResource: (row, { base }): DiagnosticReport => {
    const isWithdrawn = row.status === 'entered-in-error'
    return withoutEmpty<DiagnosticReport>({
      resourceType: 'DiagnosticReport',
      id: String(row.key),
      meta: {
        lastUpdated: row.lastUpdated,
        profile: ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-diagnosticreport-lab'],
      },
      identifier: [accessionIdentifier(base, row.reqId), ...placerIdentifier(row)],
      basedOn: row.itemIds.map((id) => refer('ServiceRequest', id)),
      status: row.status,
      category: [{ coding: [{ system: systems.diagnosticService, code: 'LAB', display: 'Laboratory' }] }],
      code: { coding: [{ system: systems.loinc, code: reportCode, display: reportName }], text: reportName },
      subject: refer('Patient', row.patientId),
      effectiveDateTime: row.collectedAt,
      issued: row.releasedAt,
      performer: [refer('Organization', organizationId('lab', row.labId))],
      result: isWithdrawn ? [] : row.resultIds.map((id) => refer('Observation', id)),
      conclusion: isWithdrawn || !row.reason ? undefined : `Corrected: ${row.reason}`,
      presentedForm: isWithdrawn
        ? []
        : [
            {
              contentType: 'application/pdf',
              url: `${base}/Binary/${row.key}-${row.versionNo}`,
              title: row.fileName,
              creation: row.madeAt,
            },
          ],
    })
  },
  subjects: ({ reqId, patientId }) => ({ reqId, patientId }),
})
