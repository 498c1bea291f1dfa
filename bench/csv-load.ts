import { parseArgs } from 'node:util'
import { describe, openProduct, type Product, watch } from './product.ts'

/**
 * A CSV of results through the real calls: slot, upload, preview, load as a job.
 * `node scripts/run.mjs bench/csv-load.ts --rows 100000`
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    /** How often each requisition is sent over the whole file: an analyser writes test by test, not order by order. */
    order: { type: 'string', default: 'requisition' },
    preview: { type: 'boolean', default: false },
  },
})
const rows = Number(values.rows)

const results: Record<string, string> = {
  CHOL: '182',
  HDL: '51',
  TRIG: '120',
  APOA1: '140',
  APOB: '92',
  LPA: '21',
  HSCRP: '1.1',
  A1C: '5.4',
}
const codes = Object.keys(results)

/** Orders in Processing with eight tests to be entered and two that are calculated from them. */
const placeOrders = async ({ owner }: Product, count: number): Promise<number[]> => {
  const { rows: made } = await owner.query<{ id: number }>(
    `insert into requisition (status_code, patient_id, client_id, collaborator_id, lab_id, ordering_client_physician_id, event_id, physician_id, collected_at, collected_zone)
     select 'PROCESS', patient_id, client_id, collaborator_id, lab_id, ordering_client_physician_id, event_id, physician_id, now() - interval '2 days', collected_zone
     from requisition where deleted_at is null order by hashint8(id) limit $1 returning id`,
    [count],
  )
  const ids = made.map(({ id }) => id)
  await owner.query(
    `insert into specimen (requisition_id, type_code, temperature_code, container_code, received_at, received_zone)
     select id, 'SERUM', 'REF', 'SST', now() - interval '1 day', 'America/New_York' from unnest($1::bigint[]) as id`,
    [ids],
  )
  await owner.query(
    `insert into requisition_test (requisition_id, test_id)
     select r, t.id from unnest($1::bigint[]) as r, test t where t.code = any($2) and t.deleted_at is null order by r, t.sort_order`,
    [ids, [...codes, 'LDL', 'NONHDL']],
  )
  await owner.query('vacuum analyze requisition, requisition_test, requisition_list, specimen')
  return ids
}

const fileOf = (ids: readonly number[]): Buffer => {
  const time = new Date(Date.now() - 8 * 3600_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const at = `${two(time.getUTCMonth() + 1)}/${two(time.getUTCDate())}/${time.getUTCFullYear()} ${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`
  const line = (id: number, code: string) => `${id},${code},${results[code]},${at},1,LOT-7`
  const lines =
    values.order === 'test'
      ? codes.flatMap((code) => ids.map((id) => line(id, code)))
      : ids.flatMap((id) => codes.map((code) => line(id, code)))
  return Buffer.from(['reqId,testCode,result,processDate,isConfirmed,reagent', ...lines.slice(0, rows), ''].join('\n'))
}

const untilDone = async ({ call }: Product, jobId: string) => {
  for (;;) {
    const job = await call('GET', `jobs/${jobId}`)
    if (job.state === 'DONE') return job
    if (job.state === 'FAILED') throw new Error(job.message)
    await new Promise((later) => setTimeout(later, 100))
  }
}

const product = await openProduct()
try {
  const ids = await placeOrders(product, Math.ceil(rows / codes.length))
  const bytes = fileOf(ids)
  const slot = await product.call('POST', 'bulk_csv_uploader/init', { fileName: 'results.csv' })
  await product.send(slot, bytes)
  const file = { loadFileTypeCode: 'RESULT', fileName: slot.newFileName, originalFileName: 'results.csv' }
  const timed = async (name: string, start: () => Promise<{ jobId: string }>) => {
    const took = await watch(product, async () => untilDone(product, (await start()).jobId))
    const perSecond = Math.round(rows / took.seconds)
    console.log(`${name}: ${rows} rows, ${(bytes.length / 1e6).toFixed(1)} MB, ${perSecond} rows/s; ${describe(took)}`)
  }
  if (values.preview) await timed('preview', () => product.call('POST', 'bulk_csv_uploader/preview', file))
  await timed('load', () => product.call('POST', 'bulk_csv_uploader/process', file))
  const [load] = await product.call('GET', 'bulk_csv_uploader?perPage=1')
  console.log(load.message)
  const { rows: states } = await product.owner.query(
    'select status_code, count(*)::int as n from requisition where id = any($1::bigint[]) group by 1',
    [ids],
  )
  console.log(JSON.stringify(states))
} finally {
  await product.close()
}
