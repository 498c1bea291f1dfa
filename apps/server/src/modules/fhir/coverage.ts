import { can } from '@lis/contract/access/permissions.ts'
import type { Coverage } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import { type BaseRow, defineType, numberKey } from './definition.ts'
import { isVisible, ofPatient, ofRequisition, requisitionChanged } from './requisition-parts.ts'
import { codeParam, isAlways } from './search-values.ts'
import { refer, systems, withoutEmpty } from './terms.ts'

interface CoverageRow extends BaseRow {
  reqId: number
  patientId: number
  order: number
  company: string
  companyNo: string | null
  holder: string | null
  policyNo: string | null
  groupNo: string | null
}

export const coverageType = defineType<CoverageRow>({
  type: 'Coverage',
  from: () => sql`insurance i join billing b on b.id = i.billing_id ${ofRequisition(sql`b.requisition_id`)}`,
  where: (reader) => [
    ...isVisible(reader),
    sql`i.deleted_at is null`,
    sql.lit(can(reader.actor.role, 'requisitionTabs.billing')),
  ],
  key: sql`i.id`,
  keyOf: numberKey,
  lastUpdated: requisitionChanged(sql`i.created_at`),
  fields: () => ({
    reqId: sql`r.id`,
    patientId: sql`r.patient_id`,
    order: sql`i.billing_order`,
    company: sql`i.company_name`,
    companyNo: sql`i.company_no`,
    holder: sql`i.policy_holder`,
    policyNo: sql`i.policy_no`,
    groupNo: sql`i.group_no`,
  }),
  params: {
    patient: ofPatient('beneficiary'),
    status: codeParam(systems.financialStatus, () => isAlways('active')),
  },
  sorts: {},
  toResource: (row): Coverage =>
    withoutEmpty<Coverage>({
      resourceType: 'Coverage',
      id: String(row.key),
      meta: { lastUpdated: row.lastUpdated },
      status: 'active',
      policyHolder: row.holder ? { display: row.holder } : undefined,
      subscriberId: row.policyNo ?? undefined,
      beneficiary: refer('Patient', row.patientId),
      payor: [
        withoutEmpty({
          identifier: row.companyNo ? { value: row.companyNo } : undefined,
          display: row.company,
        }),
      ],
      class: row.groupNo
        ? [
            {
              type: { coding: [{ system: systems.coverageClass, code: 'group', display: 'Group' }] },
              value: row.groupNo,
            },
          ]
        : [],
      order: row.order,
    }),
  subjects: ({ reqId, patientId }) => ({ reqId, patientId }),
})
