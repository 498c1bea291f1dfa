import { sql } from 'kysely'
import { conflict } from '../../platform/errors.ts'
import type { DeletedKind } from '../deleted-records/service.ts'
import { getInstrument, withoutDerived } from './service.ts'

export const deletedInstrumentKind: DeletedKind = {
  kind: 'instrument',
  table: 'instrument',
  isVersioned: true,
  record: sql`select i.name || ' (' || lab.name || ')' from instrument i join lab on lab.id = i.lab_id where i.id = d.id`,
  requireRestorable: async ({ db }, id) => {
    const taken = await db
      .selectFrom('instrument as i')
      .innerJoin('instrument as other', (join) =>
        join
          .onRef('other.lab_id', '=', 'i.lab_id')
          .on((eb) => eb(eb.fn('lower', ['other.name']), '=', eb.fn('lower', ['i.name'])))
          .on('other.deleted_at', 'is', null),
      )
      .select('i.name')
      .where('i.id', '=', id)
      .executeTakeFirst()
    if (taken) throw conflict(`Another instrument is called ${taken.name} now`)
  },
  afterRestore: async ({ db }, id) => ({ new: withoutDerived(await getInstrument(db, id)) }),
}
