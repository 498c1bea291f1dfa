import { parseArgs } from 'node:util'
import { makePdf } from '../apps/server/test/report-files.ts'
import { describe, openProduct, type Product, watch } from './product.ts'

/**
 * Report files through the real calls: a batch, slots, parallel uploads, finish, and the job that reads and files each.
 * `node scripts/run.mjs bench/report-files.ts --files 500`
 */
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '500' },
    /** One after the other: what the first leaves behind in memory shows in the next. */
    batches: { type: 'string', default: '2' },
  },
})
const count = Number(values.files)
const batches = Number(values.batches)
/** As many as a browser sends at once. */
const atOnce = 6
const bytesPerFile = 100_000

interface Person {
  id: number
  first: string
  last: string
  dob: string
}

const findPeople = async ({ owner }: Product): Promise<Person[]> => {
  const { rows } = await owner.query<Person>(
    `select r.id, p.first_name as first, p.last_name as last, p.dob from requisition r join patient p on p.id = r.patient_id
     where r.deleted_at is null order by r.status_code in ('PROCESS', 'RESULT') desc, r.id desc limit $1`,
    [count * batches],
  )
  return rows
}

/** A page of a real report: a table of results, and pictures that make up the weight. */
const reportOf = async ({ id, first, last, dob }: Person): Promise<Buffer> => {
  const plain = await makePdf((page) => {
    page.fontSize(9)
    page.text(`Requisition #${id}`, 50, 60)
    page.text(`Patient ${first} ${last}   born ${dob}`, 50, 75)
    for (let line = 0; line < 40; line++) {
      page.text(`Analyte ${line + 1}`, 50, 110 + line * 12, { lineBreak: false })
      page.text(`${(100 + line * 1.7).toFixed(1)} mg/dL`, 220, 110 + line * 12, { lineBreak: false })
    }
  })
  // Behind the end mark, where readers do not look; every file different, so that none passes for a copy of another.
  const rest = Buffer.alloc(Math.max(0, bytesPerFile - plain.length), `% ${id} `)
  return Buffer.concat([plain, rest.subarray(0, rest.length - 8), Buffer.from('\n%%EOF\n')])
}

const sendBatch = async ({ call, send }: Product, files: ReadonlyMap<string, Buffer>) => {
  const batch = await call('POST', 'bulk_report_uploader/init', {
    fileNames: [...files.keys()],
    batchTypeCode: 'REPORT',
  })
  const queue = [...batch.files]
  const sender = async () => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      await send(file, files.get(file.reportOriginalFileName) as Buffer)
      await call('POST', `bulk_report_uploader/${batch.id}/finish/${file.id}`, { batchTypeCode: 'REPORT' })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  for (;;) {
    const [upload] = await call('GET', `bulk_report_uploader?filter=[id:${batch.id}]`)
    if (upload.totalFilesPending === 0) return
    await new Promise((later) => setTimeout(later, 200))
  }
}

const product = await openProduct()
try {
  const people = await findPeople(product)
  for (let n = 0; n < batches; n++) {
    const files = new Map<string, Buffer>()
    for (const person of people.slice(n * count, (n + 1) * count)) files.set(`${person.id}.pdf`, await reportOf(person))
    const took = await watch(product, () => sendBatch(product, files))
    console.log(`${count} files of ${bytesPerFile / 1000} kB uploaded and filed: ${describe(took)}`)
  }
  const { rows } = await product.owner.query(
    'select status_code, note, count(*)::int as n from report_upload_file group by 1, 2',
  )
  console.log(JSON.stringify(rows))
} finally {
  await product.close()
}
