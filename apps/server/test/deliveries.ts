import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { deliveryMessages } from '../src/modules/deliveries/message-outcomes.ts'
import { sendDeliveriesJob } from '../src/modules/deliveries/send-job.ts'
import { systemScope } from '../src/platform/db/scope.ts'
import { deliverDue } from '../src/platform/messaging/deliver.ts'
import type { Transports } from '../src/platform/messaging/message.ts'
import { openSmtpTransport } from '../src/platform/messaging/smtp-transport.ts'
import { type Caller, openTestApp } from './app.ts'
import { type MailServer, openMailServer } from './mail-server.ts'
import { makePdf, proofOf } from './report-files.ts'
import { sendToStore } from './uploads.ts'

/** Tests intentionally make several reports within the repeat interval. */
const meantTwice = () => ({ 'idempotency-key': randomUUID() })

interface Work {
  /** Instead of the mail server, or beside it. */
  over?: Transports
  sendMs?: number
  services?: ReturnType<typeof openTestApp>['services']
  attempt?: number
}

/** An application with a real mail server, released reports, and a worker that is run by the test. Set up before the first test. */
export const openDeliveries = () => {
  const test = openTestApp()
  const world = { test } as { test: typeof test; staff: Caller; mail: MailServer; transports: Transports }

  beforeAll(async () => {
    world.staff = await test.as('STF')
    world.mail = await openMailServer()
    const smtp = openSmtpTransport({ url: world.mail.url, from: 'LIS <no-reply@lab.example>', stepMs: 15_000 })
    world.transports = { EMAIL: smtp, FAX: smtp }
  })
  afterAll(async () => {
    world.transports?.EMAIL?.close()
    await world.mail?.close()
  })
  beforeEach(() => world.mail.reset())

  const addReport = async (id: number, qc = 'RELEASE'): Promise<number> => {
    const report = (
      await world.staff.post(`requisitions/${id}/reports/make`, { answers: { SAME_REPORT: 'SAVE' } }, meantTwice())
    ).body.data.id
    if (qc !== 'PENDING') await world.staff.put(`requisitions/${id}/reports/${report}`, { labQcStatusCode: qc })
    return report
  }

  /** Uploads a file and returns the name by which a report or a correction refers to it. */
  const uploadFile = async (id: number, text = 'made elsewhere') => {
    const { body } = await world.staff.post(`requisitions/${id}/upload`, { fileName: 'a.pdf', docTypeCode: 'REPORT' })
    const proof = await proofOf(test.database.owner, id)
    await sendToStore(test, body.data.fields, await makePdf((page) => page.text(`${proof}\n${text}`)))
    return { reportFileName: body.data.newFileName as string, reportOriginalFileName: 'a.pdf' }
  }
  const addUploaded = async (id: number): Promise<number> =>
    (await world.staff.post(`requisitions/${id}/reports`, await uploadFile(id))).body.data.id

  /** A Released requisition with one released report. */
  const released = async (
    client: Parameters<typeof test.given.client>[0] = {},
    status = 'RELEASE',
    person: Parameters<typeof test.given.patient>[0] = {},
  ) => {
    const { id: clientId } = await test.given.client({ email: 'office@practice.example', ...client })
    const patient = await test.given.patient({ last_name: 'Doe', first_name: 'Jane', dob: '1970-01-02', ...person })
    const { id } = await test.given.requisition({ client_id: clientId, patient_id: patient.id, status_code: 'RESULT' })
    const { rows } = await test.database.owner.query("select id from test where code in ('CHOL', 'HDL') order by code")
    for (const [index, value] of ['251', '51'].entries())
      await test.given.store('requisition_test', {
        requisition_id: id,
        test_id: rows[index].id,
        result: value,
        result_num: value,
        reportable_result: value,
        interpretation: index === 0 ? 'Unfavorable | very ^ high' : 'Normal',
      })
    const report = await addReport(id)
    await test.database.owner.query('update requisition set status_code = $2 where id = $1', [id, status])
    return { id, report, clientId, patientId: patient.id }
  }

  /** Runs the waiting jobs, then sends the due messages once, as a worker does. */
  const work = async ({ over = {}, sendMs = 30_000, services = test.services, attempt = 1 }: Work = {}) => {
    const { rows } = await test.database.owner.query(
      "update job set state = 'DONE' where kind = 'deliveries.send' and state = 'QUEUED' returning id, user_id, input",
    )
    const progress = async () => undefined
    for (const { id, user_id: userId, input } of rows) {
      const signal = AbortSignal.timeout(180_000)
      await sendDeliveriesJob.run({ id, userId, attempt, services, signal, progress }, input)
    }
    const { store, databases, config } = test.services
    const transports = { ...world.transports, ...over }
    const outbox = {
      db: databases(systemScope),
      store,
      transports,
      demo: false,
      config,
      owner: deliveryMessages,
      sendMs,
    }
    while ((await deliverDue(outbox)) > 0);
  }

  return Object.assign(world, {
    addReport,
    uploadFile,
    addUploaded,
    released,
    work,
    /** Makes all messages due that wait for their next attempt or for the end of a lease. */
    makeDue: () =>
      test.database.owner.query(
        "update outbox_message set next_attempt_at = now() where state in ('FAILED', 'SENDING')",
      ),
    ledgerOf: async (id: number) => (await world.staff.get(`requisitions/${id}/deliveries`)).body.data,
    notificationsOf: async (id: number) =>
      (await world.staff.get(`requisitions/${id}/patient_notifications`)).body.data,
    issuesOf: async (id: number) => (await world.staff.get(`requisitions/${id}/issues`)).body.data,
    statusOf: async (id: number) => (await world.staff.get(`requisitions/${id}`)).body.data.reqStatusCode,
    historyOf: async (id: number): Promise<string[]> =>
      (await world.staff.get(`requisitions/${id}/rep_histories`)).body.data.map(
        (row: { reportActionDesc: string }) => row.reportActionDesc,
      ),
    deliver: (id: number, reportIds: number[], transmitMethodCode?: string, who = world.staff) =>
      who.post(`requisitions/${id}/delivery`, { reportIds, transmitMethodCode }),
  })
}
