import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { factories } from '../test/given.ts'
import { multipart } from '../test/multipart.ts'
import { makeReport, type ReportPerson } from '../test/report-files.ts'
import { newDataFolder, runServer, type ServerProcess, untilReady } from '../test/server-process.ts'
import { verifyAudit } from './platform/audit/verify.ts'
import { runningEmbeddedUrl } from './platform/db/embedded-postgres.ts'
import { openPool } from './platform/db/pool.ts'
import { scopedDatabases, systemScope } from './platform/db/scope.ts'

let server: ServerProcess | null = null
afterEach(async () => {
  if (server && server.child.exitCode === null) await server.stop('SIGTERM')
})
const timeout = 180_000

const open = (folder: string): Pool => openPool(runningEmbeddedUrl(join(folder, 'postgres')), { max: 2 })
const started = async (folder: string) => {
  server = await untilReady(await runServer({ LIS_DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '100000' }))
  return server
}

/** A person's calls against the running product. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
type Any = any
const callsOf = (url: string, token: string) => {
  const call = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${url}/api/v3.0/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(reply.status, `${method} ${path}`).toBe(200)
    return ((await reply.json()) as { data: Any }).data
  }
  const send = async (slot: { url: string; fields: Record<string, string> }, bytes: Buffer) => {
    const { payload, headers } = multipart(slot.fields, bytes)
    const reply = await fetch(`${url}/storage`, { method: 'POST', headers, body: new Uint8Array(payload) })
    expect(reply.status).toBe(204)
  }
  return { call, send }
}
const until = async (isSo: () => Promise<boolean>, everyMs = 50) => {
  while (!(await isSo())) await new Promise((later) => setTimeout(later, everyMs))
}

describe('SIGKILL in the middle', () => {
  it(
    'of a load: after the restart it goes on, and each row is there exactly once',
    async () => {
      const folder = newDataFolder()
      const first = await started(folder)
      let pool = open(folder)
      const given = factories(scopedDatabases(pool)(systemScope))
      const { token } = await given.session('ADM')
      const { country_id, state_id } = await given.address()
      const [cola, lab] = [await given.collaborator(), await given.lab()]
      const head =
        'legacyClientId,clientName,clientAddr1,clientCountryId,clientCity,clientStateId,clientZip,clientPhone,colaId,clientBillTypeCode,clientTransmitMethodCode,labIds'
      const total = 1500
      const rows = Array.from({ length: total }, (_, n) => {
        const phone = n % 100 === 7 ? '1' : '16175550100'
        return `KILL-${n},Practice ${n},1 Main St,${country_id},Boston,${state_id},02108,${phone},${cola.id},CLIENT,PORTAL,${lab.id}`
      })
      const { call, send } = callsOf(first.url, token)
      const slot = await call('POST', 'bulk_csv_uploader/init', { fileName: 'clients.csv' })
      await send(slot, Buffer.from([head, ...rows].join('\n')))
      const load = { loadFileTypeCode: 'CLIENT', fileName: slot.newFileName, originalFileName: 'clients.csv' }
      const { id } = await call('POST', 'bulk_csv_uploader/process', load)
      const done = async () => (await pool.query('select rows_done, state from csv_load where id = $1', [id])).rows[0]
      await until(async () => (await done()).rows_done >= 300, 5)
      await pool.end()
      await first.stop('SIGKILL')

      const second = await started(folder)
      pool = open(folder)
      const kept = await done()
      expect(kept.rows_done).toBeLessThan(total)
      await until(async () => (await done()).state === 'DONE', 250)
      const again = callsOf(second.url, token)
      const [row] = await again.call('GET', `bulk_csv_uploader?filter=[id:${id}]`)
      expect(row).toMatchObject({ totalCount: total, successCount: total - 15, errorCount: 15, skippedCount: 0 })
      const { rows: found } = await pool.query(
        "select count(*)::int as n, count(distinct legacy_client_id)::int as names from client where legacy_client_id like 'KILL-%'",
      )
      expect(found).toEqual([{ n: total - 15, names: total - 15 }])
      expect(
        (await pool.query('select count(*)::int as n from csv_load_error where load_id = $1', [id])).rows[0].n,
      ).toBe(15)
      expect((await verifyAudit(pool)).faults).toEqual([])
      await pool.end()
    },
    timeout,
  )

  it(
    'of a batch of reports: after the restart every file that came is filed exactly once',
    async () => {
      const folder = newDataFolder()
      const first = await started(folder)
      let pool = open(folder)
      const given = factories(scopedDatabases(pool)(systemScope))
      const { token } = await given.session('ADM')
      const people: ReportPerson[] = []
      for (let n = 0; n < 40; n++) {
        const patient = await given.patient({ first_name: 'Kim', last_name: `Crash${n}`, dob: '1970-02-03' })
        const { id } = await given.requisition({ patient_id: patient.id })
        people.push({ reqId: id, firstName: 'Kim', lastName: `Crash${n}`, dob: '1970-02-03' })
      }
      const { call, send } = callsOf(first.url, token)
      const fileNames = people.map(({ reqId }) => `${reqId}.pdf`)
      const batch = await call('POST', 'bulk_report_uploader/init', { fileNames, batchTypeCode: 'REPORT' })
      for (const [index, file] of batch.files.entries())
        await send(file, await makeReport(people[index] as ReportPerson))
      await Promise.all(
        batch.files.map(({ id }: { id: number }) =>
          call('POST', `bulk_report_uploader/${batch.id}/finish/${id}`, { batchTypeCode: 'REPORT' }),
        ),
      )
      const filed = async (): Promise<number> =>
        (await pool.query("select count(*)::int as n from report_upload_file where status_code = 'COMPLETE'")).rows[0].n
      await until(async () => (await filed()) > 0, 5)
      const before = await filed()
      await first.stop('SIGKILL')
      expect(before).toBeLessThan(40)
      await pool.end()

      await started(folder)
      pool = open(folder)
      const states = async () =>
        (await pool.query('select status_code, count(*)::int as n from report_upload_file group by 1')).rows
      await until(async () => !(await states()).some(({ status_code }) => status_code === 'INIT'), 250)
      expect(await states()).toEqual([{ status_code: 'COMPLETE', n: 40 }])
      const { rows } = await pool.query(
        'select count(*)::int as n, count(distinct requisition_id)::int as orders, (select count(*)::int from report_version) as versions from report',
      )
      expect(rows).toEqual([{ n: 40, orders: 40, versions: 40 }])
      expect((await verifyAudit(pool)).faults).toEqual([])
      await pool.end()
    },
    timeout,
  )
})
