import type { Instrument, InstrumentInput } from '@lis/contract/instruments.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { bigint, flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

export const instrumentList: ListDefinition = {
  from: sql`instrument i join lab on lab.id = i.lab_id left join instrument_link k on k.instrument_id = i.id`,
  where: [sql`i.deleted_at is null`],
  fields: {
    id: sql`i.id`,
    version: sql`i.version`,
    name: sql`i.name`,
    labId: sql`i.lab_id`,
    labName: sql`lab.name`,
    labZone: sql`lab.zone`,
    model: sql`i.model`,
    serialNumber: sql`i.serial_number`,
    protocol: sql`i.protocol`,
    host: sql`i.host`,
    port: sql`i.port`,
    isActive: flag01(sql`i.is_active`),
    linkState: sql`case when i.is_active then coalesce(k.state, 'CLOSED') else 'CLOSED' end`,
    linkMessage: sql`k.message`,
    lastSeenAt: sql`k.last_seen_at`,
    clockOffsetSec: sql`k.clock_offset_sec`,
  },
  sort: { name: sql`lower(i.name)` },
  filter: {
    id: isOneOfIds(sql`i.id`, 'id'),
    name: contains(sql`i.name`),
    labId: isOneOfIds(sql`i.lab_id`, 'labId'),
    protocol: isOneOf(sql`i.protocol`),
    isActive: isOneOf(flag01(sql`i.is_active`)),
    search: contains(sql`(i.name || ' ' || coalesce(i.model, '') || ' ' || coalesce(i.serial_number, ''))`),
  },
  defaultOrder: sql`lower(i.name)`,
  key: sql`i.id`,
}

export const findInstrument = (db: Db, id: number) => findRow<Instrument>(db, instrumentList, id)

export const isLab = async (db: Db, id: number): Promise<boolean> =>
  (await db
    .selectFrom('lab')
    .select('id')
    .where('id', '=', bigint(id))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()) !== undefined

export const isInstrumentNameTaken = async (
  db: Db,
  { name, labId }: InstrumentInput,
  exceptId: number | null,
): Promise<boolean> =>
  (await db
    .selectFrom('instrument')
    .select('id')
    .where('lab_id', '=', bigint(labId))
    .where((eb) => eb(eb.fn<string>('lower', ['name']), '=', sql<string>`lower(${name})`))
    .where('deleted_at', 'is', null)
    .where('id', '<>', bigint(exceptId ?? 0))
    .executeTakeFirst()) !== undefined

export const instrumentColumns = (input: InstrumentInput) => ({
  name: input.name,
  lab_id: input.labId,
  model: input.model,
  serial_number: input.serialNumber,
  protocol: input.protocol,
  host: input.host,
  port: input.port,
  is_active: input.isActive === 1,
})
