import { can } from '@lis/contract/access/permissions.ts'
import type { Specimen } from '@medplum/fhirtypes'
import { sql } from 'kysely'
import { lookupDescriptionOrCode } from '../lookups/descriptions.ts'
import { type BaseRow, defineType } from './definition.ts'
import { accessionParam, isVisible, ofPatient, ofRequisition, requisitionChanged } from './requisition-parts.ts'
import { accessionIdentifier, coded, ownSystems, refer, withoutEmpty } from './terms.ts'

interface SpecimenRow extends BaseRow {
  reqId: number
  patientId: number
  collectedAt: string
  typeCode: string | null
  typeName: string | null
  containerCode: string | null
  containerName: string | null
  receivedAt: string | null
}

/** More specimens than any order has. */
const mostOfOne = 1000

/**
 * A requisition has its first specimen from its collection on: before it is received only that time is known. So its id is the
 * accession number and the position of the specimen.
 */
export const specimenId = (requisitionId: number, place = 1) => `${requisitionId}-${place}`

const keyOf = (id: string): number | null => {
  const [, requisitionId, place] = /^(\d{1,12})-(\d{1,3})$/.exec(id) ?? []
  return requisitionId === undefined ? null : Number(requisitionId) * mostOfOne + Number(place)
}

export const specimenType = defineType<SpecimenRow>({
  type: 'Specimen',
  from: () => sql`(select q.id as requisition_id, coalesce(x.place, 1) as place, x.id, x.type_code, x.container_code, x.received_at, q.created_at
      from requisition q left join lateral (select s.*, row_number() over (order by s.id) as place from specimen s
        where s.requisition_id = q.id and s.deleted_at is null) x on true) s ${ofRequisition(sql`s.requisition_id`)}`,
  where: (reader) => [...isVisible(reader), sql.lit(can(reader.actor.role, 'requisitionTabs.specimens'))],
  key: sql`(r.id * ${sql.lit(mostOfOne)} + s.place)`,
  keyOf,
  keyed: {
    order: sql`r.id, s.place`,
    isOneOf: (keys) => sql`r.id = any(${keys.map((key) => Math.floor(key / mostOfOne))}::bigint[])`,
    isFrom: (key) => sql`r.id >= ${Math.floor(key / mostOfOne)}::bigint`,
  },
  lastUpdated: requisitionChanged(sql`s.created_at`),
  fields: () => ({
    reqId: sql`r.id`,
    patientId: sql`r.patient_id`,
    collectedAt: sql`r.collected_at`,
    typeCode: sql`s.type_code`,
    typeName: lookupDescriptionOrCode('SPECIMENTYPE', sql`s.type_code`),
    containerCode: sql`s.container_code`,
    containerName: lookupDescriptionOrCode('CONTAINERTYPE', sql`s.container_code`),
    receivedAt: sql`s.received_at`,
  }),
  params: { patient: ofPatient('subject'), accession: accessionParam },
  sorts: { collected: sql`r.collected_at` },
  toResource: (row, { base }): Specimen =>
    withoutEmpty<Specimen>({
      resourceType: 'Specimen',
      id: specimenId(row.reqId, row.key % mostOfOne),
      meta: { lastUpdated: row.lastUpdated },
      accessionIdentifier: accessionIdentifier(base, row.reqId),
      status: 'available',
      type: row.typeCode
        ? coded(ownSystems(base).specimenType, row.typeCode, row.typeName)
        : { text: 'Not received yet' },
      subject: refer('Patient', row.patientId),
      receivedTime: row.receivedAt ?? undefined,
      collection: { collectedDateTime: row.collectedAt },
      container: row.containerCode
        ? [{ type: coded(ownSystems(base).container, row.containerCode, row.containerName) }]
        : [],
    }),
  subjects: ({ reqId, patientId }) => ({ reqId, patientId }),
})
