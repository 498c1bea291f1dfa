import { randomUUID } from 'node:crypto'
import { downtimeMessages } from '@lis/contract/downtime.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds } from '../../platform/storage/slots.ts'
import { type KitData, readKitData } from './kit-data.ts'
import { writeKitPage } from './kit-page.ts'

const contentType = 'text/html; charset=utf-8'
/** The previous one is kept for downloads in progress. */
const keptKits = 2

export interface StoredKit {
  labName: string
  key: string
  sha256: string
  madeAt: string
}
type Tools = Pick<Services, 'config' | 'store'>

/** Reads, encrypts and stores the kit; `recordKit` makes it the current one. */
export const makeKit = async (
  db: Db,
  { config, store }: Tools,
  labId: number,
): Promise<StoredKit & { data: KitData }> => {
  if (!config.DOWNTIME_PASSWORD) throw conflict(downtimeMessages.notSetUp)
  const lab = await db.selectFrom('lab').select(['id', 'name']).where('id', '=', labId).executeTakeFirst()
  if (!lab) throw notFound('Laboratory')
  const data = await readKitData(db, lab)
  const key = `downtime/${randomUUID()}.html`
  const { sha256 } = await store.put(key, await writeKitPage(data, config.DOWNTIME_PASSWORD), contentType)
  return { labName: lab.name, key, sha256, madeAt: data.madeAt, data }
}

/** Makes it the current kit; returns the keys of outdated ones. */
export const recordKit = async (trx: Trx, labId: number, { key, sha256, madeAt }: StoredKit): Promise<string[]> => {
  await trx.insertInto('downtime_kit').values({ lab_id: labId, object_key: key, sha256, made_at: madeAt }).execute()
  const old = await trx
    .selectFrom('downtime_kit')
    .select(['id', 'object_key'])
    .where('lab_id', '=', labId)
    .orderBy('id', 'desc')
    .offset(keptKits)
    .execute()
  for (const { id } of old) await trx.deleteFrom('downtime_kit').where('id', '=', id).execute()
  return old.map((row) => row.object_key)
}

export const removeKits = async (store: Tools['store'], keys: readonly string[]) => {
  for (const key of keys) await store.remove(key)
}

export const getKit = async (db: Db, labId: number): Promise<StoredKit> => {
  const row = await db
    .selectFrom('downtime_kit as k')
    .innerJoin('lab', 'lab.id', 'k.lab_id')
    .select(['lab.name as labName', 'k.object_key as key', 'k.sha256', 'k.made_at as madeAt'])
    .where('k.lab_id', '=', labId)
    .orderBy('k.id', 'desc')
    .executeTakeFirst()
  if (!row) throw notFound('Downtime kit')
  return { ...row, madeAt: new Date(row.madeAt).toISOString() }
}

export const linkToKit = async ({ store }: Pick<Tools, 'store'>, { labName, key, sha256, madeAt }: StoredKit) => ({
  madeAt,
  url: await store.downloadUrl(key, {
    sha256,
    fileName: `downtime-${labName}-${madeAt.slice(0, 16).replace(/[T:]/g, '-')}.html`,
    contentType,
    expiresSeconds: downloadSeconds,
  }),
})

/** Every hour, one file per laboratory. */
export const downtimeKitsJob = defineJob({
  kind: 'downtime.kits',
  schedule: async ({ config }) => (config.DOWNTIME_PASSWORD ? { cron: '5 * * * *', zone: 'UTC' } : null),
  run: async ({ services }) => {
    const db = services.databases(systemScope)
    const labs = await db.selectFrom('lab').select('id').where('deleted_at', 'is', null).orderBy('id').execute()
    for (const { id } of labs) {
      const kit = await makeKit(db, services, id)
      const old = await db.transaction().execute((trx) => recordKit(trx, id, kit))
      await removeKits(services.store, old)
    }
  },
})
