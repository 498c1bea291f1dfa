import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { type MailServer, openMailServer } from '../../../test/mail-server.ts'

const test = openTestApp()
let mail: MailServer
let worker: ChildProcess | null = null

beforeAll(async () => {
  mail = await openMailServer()
})
afterAll(async () => {
  worker?.kill('SIGKILL')
  await mail?.close()
})

/** The real worker program on the database and the files of this test. */
const startWorker = () =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../../worker.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: test.database.url,
      LIS_DATA_DIR: test.database.folder,
      LIS_SECRET: 'a secret of more than thirty-two characters',
      SMTP_URL: mail.url,
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  })

const count = 30

it('a worker that is killed in the middle of a batch loses nothing: every report arrives once as far as mail allows, and the ledger says so', async () => {
  const staff = await test.as('STF')
  const { rows: tests } = await test.database.owner.query("select id from test where code = 'CHOL'")
  const reqIds: number[] = []
  for (let n = 0; n < count; n++) {
    const client = await test.given.client({ transmit_method_code: 'EMAIL', email: `p${n}@practice.example` })
    const { id } = await test.given.requisition({ client_id: client.id, status_code: 'RELEASE' })
    const result = { requisition_id: id, test_id: tests[0].id, result: '251', reportable_result: '251' }
    await test.given.store('requisition_test', result)
    const report = (await staff.post(`requisitions/${id}/reports/make`, {})).body.data.id
    await staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: 'RELEASE' })
    reqIds.push(id)
  }
  // It is killed before it can finish, however fast it is.
  mail.silentAfter = count / 3
  expect((await staff.post('requisitions/bulk_delivery', { reqIds })).body.data.moved).toHaveLength(count)
  worker = startWorker()
  await expect.poll(() => mail.unanswered, { timeout: 120_000 }).toBeGreaterThan(0)
  worker.kill('SIGKILL')
  const before = mail.received.length
  expect(before).toBeLessThan(count)
  mail.silentAfter = Number.POSITIVE_INFINITY
  worker = startWorker()
  const states = async () => {
    // The lease of what the dead worker held: two minutes pass.
    await test.database.owner.query(
      "update outbox_message set next_attempt_at = now() where state = 'SENDING' and next_attempt_at < now() + interval '110 seconds'",
    )
    const { rows } = await test.database.owner.query('select state, count(*)::int as n from report_delivery group by 1')
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  }
  await expect.poll(states, { timeout: 120_000, interval: 500 }).toEqual({ DELIVERED: count })
  // Nothing is missing; messages in progress arrived twice at most, with the same message id.
  const ids = mail.received.map(({ messageId }) => messageId)
  expect(new Set(ids).size).toBe(count)
  expect(ids.length).toBeLessThanOrEqual(count + 10)
  const { rows } = await test.database.owner.query(
    "select count(*)::int as n from requisition where status_code = 'DELIVER'",
  )
  expect(rows[0].n).toBe(count)
}, 600_000)
