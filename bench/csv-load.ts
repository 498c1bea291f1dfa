import { parseArgs } from 'node:util'
import { describe, openProduct, type Product, watch } from './product.ts'

/**
 * A CSV through the real calls: slot, upload, preview, load as a job. A load of orders or clients should take as long per row in a large
 * laboratory as in a small one.
 * `node scripts/run.mjs bench/csv-load.ts --rows 100000`
 * `node scripts/run.mjs bench/csv-load.ts --type REQUISITION --rows 1000 --requisitions 100000`
 * `node scripts/run.mjs bench/csv-load.ts --type CLIENT --rows 4000 --times 2`
 */
const { values } = parseArgs({
  options: {
    type: { type: 'string', default: 'RESULT' },
    rows: { type: 'string', default: '100000' },
    /** What is in the laboratory before. */
    requisitions: { type: 'string', default: '20000' },
    /** How many such files one after the other. */
    times: { type: 'string', default: '1' },
    /** Results: how often each requisition is sent over the whole file: an analyser writes test by test, not order by order. */
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

const resultFile = (ids: readonly number[]): string[] => {
  const time = new Date(Date.now() - 8 * 3600_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const at = `${two(time.getUTCMonth() + 1)}/${two(time.getUTCDate())}/${time.getUTCFullYear()} ${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`
  const line = (id: number, code: string) => `${id},${code},${results[code]},${at},1,LOT-7`
  const lines =
    values.order === 'test'
      ? codes.flatMap((code) => ids.map((id) => line(id, code)))
      : ids.flatMap((id) => codes.map((code) => line(id, code)))
  return ['reqId,testCode,result,processDate,isConfirmed,reagent', ...lines.slice(0, rows)]
}

/** Orders of new patients, with an order id of the client and three tests. */
const orderFile = async ({ owner }: Product, time: number): Promise<string[]> => {
  const { rows: pairs } = await owner.query(
    `select c.legacy_client_id as client, c.collaborator_id as cola, p.id as pair, e.id as event, l.lab_id as lab
     from client c join lateral (select cp.id from client_physician cp join physician ph on ph.id = cp.physician_id
       where cp.client_id = c.id and cp.deleted_at is null and ph.deleted_at is null limit 1) p on true
     join lateral (select id from client_event where client_id = c.id and deleted_at is null limit 1) e on true
     join lateral (select lab_id from client_lab where client_id = c.id limit 1) l on true
     where c.deleted_at is null and c.zone <> 'TZNA'`,
  )
  const line = (n: number) => {
    const { client, cola, pair, event, lab } = pairs[n % pairs.length]
    return `${client},${cola},${pair},${event},${lab},T${time}-${n},Fay,Load${time}x${n},04/${10 + (n % 19)}/19${50 + (n % 40)},FEMALE,11/02/2026 08:15,CHOL;HDL;LDL`
  }
  return [
    'legacyClientId,colaId,orderingClientPhysId,eventId,labId,extOrderId,patientFirstName,patientLastName,patientDob,patientGenderCode,dateCollected,testCodes',
    ...Array.from({ length: rows }, (_, n) => line(n)),
  ]
}

const clientFile = async ({ owner }: Product, time: number): Promise<string[]> => {
  const { rows: like } = await owner.query(
    `select c.country_id, c.state_id, c.city, c.zip, c.collaborator_id, l.lab_id from client c join client_lab l on l.client_id = c.id
     where c.deleted_at is null order by c.id limit 50`,
  )
  const line = (n: number) => {
    const { country_id, state_id, city, zip, collaborator_id, lab_id } = like[n % like.length]
    return `T${time}-${n},Practice ${time} ${n},${n} Main St,${country_id},${city},${state_id},${zip},16175550100,${collaborator_id},CLIENT,PORTAL,${lab_id}`
  }
  return [
    'legacyClientId,clientName,clientAddr1,clientCountryId,clientCity,clientStateId,clientZip,clientPhone,colaId,clientBillTypeCode,clientTransmitMethodCode,labIds',
    ...Array.from({ length: rows }, (_, n) => line(n)),
  ]
}

const untilDone = async ({ call }: Product, jobId: string) => {
  for (;;) {
    const job = await call('GET', `jobs/${jobId}`)
    if (job.state === 'DONE') return job
    if (job.state === 'FAILED') throw new Error(job.message)
    await new Promise((later) => setTimeout(later, 100))
  }
}

const product = await openProduct(Number(values.requisitions))
/** One file; the ids of the orders whose results it brings. */
const makeFile = async (time: number): Promise<{ lines: string[]; ids: number[] }> => {
  if (values.type === 'REQUISITION') return { lines: await orderFile(product, time), ids: [] }
  if (values.type === 'CLIENT') return { lines: await clientFile(product, time), ids: [] }
  const ids = await placeOrders(product, Math.ceil(rows / codes.length))
  return { lines: resultFile(ids), ids }
}
try {
  for (let time = 1; time <= Number(values.times); time++) {
    const { lines, ids } = await makeFile(time)
    const bytes = Buffer.from([...lines, ''].join('\n'))
    const slot = await product.call('POST', 'bulk_csv_uploader/init', { fileName: 'rows.csv' })
    await product.send(slot, bytes)
    const file = { loadFileTypeCode: values.type, fileName: slot.newFileName, originalFileName: 'rows.csv' }
    const timed = async (name: string, start: () => Promise<{ jobId: string }>) => {
      const took = await watch(product, async () => untilDone(product, (await start()).jobId))
      const perSecond = Math.round(rows / took.seconds)
      console.log(
        `${name}: ${rows} rows, ${(bytes.length / 1e6).toFixed(1)} MB, ${perSecond} rows/s; ${describe(took)}`,
      )
    }
    if (values.preview) await timed('preview', () => product.call('POST', 'bulk_csv_uploader/preview', file))
    await timed('load', () => product.call('POST', 'bulk_csv_uploader/process', file))
    const [load] = await product.call('GET', 'bulk_csv_uploader?perPage=1')
    console.log(load.message)
    const { rows: errors } = await product.owner.query(
      'select error_desc from csv_load_error where load_id = $1 order by id limit 3',
      [load.id],
    )
    for (const { error_desc } of errors) console.log(error_desc)
    if (ids.length === 0) continue
    const { rows: states } = await product.owner.query(
      'select status_code, count(*)::int as n from requisition where id = any($1::bigint[]) group by 1',
      [ids],
    )
    console.log(JSON.stringify(states))
  }
} finally {
  await product.close()
}
