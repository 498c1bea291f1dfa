import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Analyser, resultRecords } from '../apps/server/seeds/laboratory/analyser.ts'
import { scopedDatabases, systemScope } from '../apps/server/src/platform/db/scope.ts'
import { hashPassword } from '../apps/server/src/platform/identity/pool/passwords.ts'
import { freePort } from '../apps/server/test/free-port.ts'
import { factories, type Given } from '../apps/server/test/given.ts'
import { type Remote, type RemoteReply, remote, signInAt } from '../apps/server/test/remote.ts'
import { makeReport } from '../apps/server/test/report-files.ts'
import type { Cluster } from './cluster.ts'
import { openFhirSender, openHl7Sender, type PracticeSystem } from './partners.ts'

/** What the product has confirmed; all of it must exist exactly once in the end. */
export interface Ledger {
  saves: string[]
  notes: string[]
  moved: number[]
  uploads: { name: string; sha256: string }[]
  delivered: number[]
  /** Files of batch uploads. */
  filed: { fileId: number; reqId: number }[]
  loads: { id: number; prefix: string }[]
  readyToBill: number[]
  batched: number[]
  sessions: { userId: number; token: string }[]
  /** Placer numbers of orders that were acknowledged, by HL7 and by FHIR. */
  hl7Orders: string[]
  fhirOrders: string[]
  /** Values of instruments whose frames were all acknowledged. */
  measured: string[]
}

export interface Load {
  ledger: Ledger
  /** All calls, answered or not. */
  sent: () => number
  /** Calls that had to be repeated because nobody answered. */
  repeats: () => number
  /** The maximum number of repeats of one call. */
  mostRepeats: () => number
  /** Unexpected replies. */
  faults: string[]
  answered: () => number
  stop: () => Promise<void>
}

export const rowsPerLoad = 100
const pdf = (text: string) => Buffer.from(`%PDF-1.7\n${text}`)
const password = 'Correct-Horse-2026!'

/** Users of all kinds at once, who repeat unanswered calls with the same Idempotency-Key, as the web application does. */
export const startLoad = async (cluster: Cluster, url: () => string): Promise<Load> => {
  const db = scopedDatabases(cluster.pool)(systemScope)
  const given = factories(db)
  const world = await makeWorld(given, cluster)
  const ledger: Ledger = {
    saves: [],
    notes: [],
    moved: [],
    uploads: [],
    delivered: [],
    filed: [],
    loads: [],
    readyToBill: [],
    batched: [],
    sessions: [],
    hl7Orders: [],
    fhirOrders: [],
    measured: [],
  }
  const over = new AbortController()
  const faults: string[] = []
  let sent = 0
  let repeats = 0
  let mostRepeats = 0
  let answered = 0

  /** Repeats a call until it is answered; null when the load is stopped before. */
  const sendUntilAnswered = async (
    who: Person,
    method: string,
    path: string,
    body?: object,
  ): Promise<RemoteReply | null> => {
    const headers = { 'idempotency-key': randomUUID() }
    sent++
    for (let attempt = 0; attempt === 0 || !over.signal.aborted; attempt++) {
      if (attempt > 0) repeats++
      mostRepeats = Math.max(mostRepeats, attempt)
      const reply = await remote(url(), who.token)
        .call(method, path, body, headers)
        .catch(() => null)
      if (reply && reply.status < 500) {
        answered++
        return reply
      }
      if (reply?.status === 500) faults.push(`${method} ${path}: ${JSON.stringify(reply.body).slice(0, 300)}`)
      await wait(60)
    }
    return null
  }
  const isDone = (reply: RemoteReply | null, what: string): reply is RemoteReply => {
    if (reply && reply.status !== 200)
      faults.push(`${what}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`)
    return reply?.status === 200
  }
  const noteAnswer = (tries: number) => {
    sent++
    answered++
    repeats += tries
    mostRepeats = Math.max(mostRepeats, tries)
  }
  const systems = cluster.env.HL7_LISTEN ? practiceSystems(await openPractice(world, given, cluster, url()), url) : []
  const everybody: Loop[] = [
    ...[savers, savers, noters, movers, uploaders, deliverers, filers, loaders, billers, signers],
    ...systems,
    ...(await openAnalysers(world, given, url())),
  ]
  const context: Context = {
    cluster,
    world,
    given,
    ledger,
    sendUntilAnswered,
    isDone,
    noteAnswer,
    url,
    faults,
    isOver: () => over.signal.aborted,
  }
  const loops = everybody.map(async (loop) => {
    const person = await given.session('ADM')
    // Some steps write to the database directly, which may be down for a moment: then the loop continues.
    while (!over.signal.aborted)
      await loop(context, person).catch((error: Error) => wait(over.signal.aborted ? 0 : isAway(error, faults)))
  })
  return {
    ledger,
    faults,
    sent: () => sent,
    repeats: () => repeats,
    mostRepeats: () => mostRepeats,
    answered: () => answered,
    stop: async () => {
      over.abort()
      await Promise.all(loops)
    },
  }
}

/** A broken connection to the store or the database is part of a crash; anything else is a fault. */
const isAway = (error: Error, faults: string[]): number => {
  const text = `${error.message} ${(error as { code?: string }).code ?? ''} ${String(error.cause ?? '')}`
  if (!/fetch failed|ECONN|terminat|57P0|connect|socket|UND_ERR|not yet accepting|recovery|: 50\d|timeout/i.test(text))
    faults.push(text.slice(0, 300))
  return 100
}

interface Person {
  userId: number
  token: string
}
interface Context {
  cluster: Cluster
  world: World
  given: Given
  ledger: Ledger
  sendUntilAnswered: (who: Person, method: string, path: string, body?: object) => Promise<RemoteReply | null>
  isDone: (reply: RemoteReply | null, what: string) => reply is RemoteReply
  /** Counts a call of another protocol, with how often it was repeated. */
  noteAnswer: (tries: number) => void
  url: () => string
  faults: string[]
  isOver: () => boolean
}
type Loop = (context: Context, who: Person) => Promise<void>

const savers: Loop = async ({ ledger, sendUntilAnswered, isDone }, who) => {
  const userLastName = randomUUID()
  const reply = await sendUntilAnswered(who, 'PUT', `mfa/profile/${who.userId}`, {
    userFirstName: 'Crash',
    userLastName,
  })
  if (isDone(reply, 'save')) ledger.saves.push(userLastName)
}

const noters: Loop = async ({ ledger, world, sendUntilAnswered, isDone }, who) => {
  const note = randomUUID()
  if (isDone(await sendUntilAnswered(who, 'POST', `requisitions/${world.reqId}/bill_notes`, { note }), 'note'))
    ledger.notes.push(note)
}

const movers: Loop = async ({ ledger, world, sendUntilAnswered, isDone }, who) => {
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await world.order({ status_code: 'ACC' }))
  const reply = await sendUntilAnswered(who, 'PUT', `requisitions/ACC/next_status/bulk_move?id=${ids.join(',')}`, {
    callSource: 'ACC',
  })
  if (isDone(reply, 'bulk move')) ledger.moved.push(...reply.body.data.moved)
}

const uploaders: Loop = async ({ ledger, world, sendUntilAnswered, isDone, url }, who) => {
  const name = `${randomUUID()}.pdf`
  const slot = await sendUntilAnswered(who, 'POST', `requisitions/${world.reqId}/upload`, {
    fileName: name,
    docTypeCode: 'SCANREQ',
  })
  if (!isDone(slot, 'slot')) return
  const bytes = pdf(name.repeat(200))
  if ((await remote(url(), who.token).send(slot.body.data, bytes)) !== 204) return
  const file = { originalFileName: name, fileName: slot.body.data.newFileName }
  if (isDone(await sendUntilAnswered(who, 'POST', `requisitions/${world.reqId}/scanreqs`, file), 'upload'))
    ledger.uploads.push({ name, sha256: createHash('sha256').update(bytes).digest('hex') })
}

const deliverers: Loop = async ({ ledger, world, sendUntilAnswered, isDone, given }, who) => {
  const id = await world.order({ status_code: 'RELEASE' })
  await given.orderedTest(id, 'CHOL', { result: '251', reportable_result: '251' })
  const made = await sendUntilAnswered(who, 'POST', `requisitions/${id}/reports/make`, {})
  if (!isDone(made, 'report')) return
  const released = await sendUntilAnswered(who, 'PUT', `requisitions/${id}/reports/${made.body.data.id}`, {
    labQcStatusCode: 'RELEASE',
  })
  if (!isDone(released, 'release')) return
  const reply = await sendUntilAnswered(who, 'POST', 'requisitions/bulk_delivery', { reqIds: [id] })
  if (isDone(reply, 'delivery')) ledger.delivered.push(...reply.body.data.moved)
}

const filers: Loop = async ({ ledger, world, sendUntilAnswered, isDone, url }, who) => {
  const reqIds = [await world.order({}), await world.order({})]
  const fileNames = reqIds.map((id) => `${id}.pdf`)
  const batch = await sendUntilAnswered(who, 'POST', 'bulk_report_uploader/init', {
    fileNames,
    batchTypeCode: 'REPORT',
  })
  if (!isDone(batch, 'batch')) return
  for (const [n, file] of batch.body.data.files.entries()) {
    if (
      (await remote(url(), who.token).send(
        file,
        await makeReport({ reqId: reqIds[n] as number, ...world.patient }),
      )) !== 204
    )
      return
    const path = `bulk_report_uploader/${batch.body.data.id}/finish/${file.id}`
    const reply = await sendUntilAnswered(who, 'POST', path, { batchTypeCode: 'REPORT' })
    if (isDone(reply, 'file of a batch')) ledger.filed.push({ fileId: file.id, reqId: reqIds[n] as number })
  }
}

const loaders: Loop = async ({ ledger, world, sendUntilAnswered, isDone, url }, who) => {
  const prefix = randomUUID().slice(0, 13)
  const head =
    'legacyClientId,clientName,clientAddr1,clientCountryId,clientCity,clientStateId,clientZip,clientPhone,colaId,clientBillTypeCode,clientTransmitMethodCode,labIds'
  const rows = Array.from(
    { length: rowsPerLoad },
    (_, n) =>
      `${prefix}-${n},Practice ${prefix} ${n},${n} Main St,${world.countryId},Boston,${world.stateId},02108,16175550100,${world.colaId},CLIENT,PORTAL,${world.labId}`,
  )
  const slot = await sendUntilAnswered(who, 'POST', 'bulk_csv_uploader/init', { fileName: 'clients.csv' })
  if (!isDone(slot, 'load slot')) return
  if ((await remote(url(), who.token).send(slot.body.data, Buffer.from([head, ...rows].join('\n')))) !== 204) return
  const load = { loadFileTypeCode: 'CLIENT', fileName: slot.body.data.newFileName, originalFileName: 'clients.csv' }
  const reply = await sendUntilAnswered(who, 'POST', 'bulk_csv_uploader/process', load)
  if (isDone(reply, 'load')) ledger.loads.push({ id: reply.body.data.id, prefix })
  await wait(300)
}

const billers: Loop = async ({ ledger, world, sendUntilAnswered, isDone }, who) => {
  const id = await world.order({ status_code: 'DELIVER', bill_type_code: 'CLIENT' })
  await world.icd(id)
  const run = await sendUntilAnswered(who, 'POST', 'billing/run', { reqIds: [id] })
  if (!isDone(run, 'billing run')) return
  ledger.readyToBill.push(...run.body.data.moved)
  const batch = await sendUntilAnswered(who, 'POST', 'billing/batch', { reqIds: [id] })
  if (isDone(batch, 'billing batch')) ledger.batched.push(...batch.body.data.moved)
}

const signers: Loop = async ({ ledger, world, cluster, url }) => {
  const session: Remote = await signInAt(url(), cluster.pool, world.userName, password)
  ledger.sessions.push({ userId: world.userId, token: session.token })
  await wait(200)
}

/** The system of the practice: one connection by HL7, and one client of FHIR. */
const practiceSystems = (practice: PracticeSystem, url: () => string): Loop[] => {
  const [hl7, fhir] = [openHl7Sender(practice), openFhirSender(practice, url)]
  return [
    async ({ ledger, isOver, faults, noteAnswer }) => {
      const sent = await hl7.send(isOver)
      if (sent === null) return hl7.close()
      noteAnswer(sent.repeats)
      if (sent.code === 'AA') ledger.hl7Orders.push(sent.placer)
      else faults.push(`HL7 order: ${sent.code}`)
    },
    async ({ ledger, isOver, faults, noteAnswer }) => {
      const sent = await fhir(isOver)
      if (sent === null) return
      noteAnswer(sent.repeats)
      // 202: it is stored, and worked later.
      if (sent.status === 200 || sent.status === 202) ledger.fhirOrders.push(sent.placer)
      else faults.push(`FHIR order: ${sent.status} ${sent.text.slice(0, 300)}`)
    },
  ]
}

const openPractice = async (world: World, given: Given, { env }: Cluster, url: string): Promise<PracticeSystem> => {
  const [app, facility] = ['CRASH EHR', 'CRASH']
  await given.interfacePartner({ client_id: world.clientId, sending_app: app, sending_facility: facility })
  const admin = remote(url, (await given.session('ADM')).token)
  const made = async (path: string, body: object) => {
    const reply = await admin.call('POST', path, body)
    if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }
  const { id, clientId, clientSecret } = await made('api_clients', {
    name: 'Crash',
    userRoleCode: 'CLNT',
    entityId: world.clientId,
    scopes: ['system/*.cruds'],
    useSecret: 1,
  })
  await made('interfaces', { name: 'Crash FHIR', kind: 'FHIR', clientId: world.clientId, apiClientId: id })
  const hl7Port = Number(env.HL7_LISTEN?.split(':').at(-1))
  return { hl7Port, app, facility, npi: world.npi, clientId, clientSecret }
}

const analysers = 2
/** Two results a message, ten messages a second: what BENCH-08 asks of each instrument. */
const [perMessage, betweenMs] = [2, 100]
const longestAckMs = 3000

/** Instruments that measure all the time, and send a message again until its end was acknowledged. */
const openAnalysers = async (world: World, given: Given, url: string): Promise<Loop[]> => {
  const admin = remote(url, (await given.session('ADM')).token)
  return Promise.all(
    Array.from({ length: analysers }, async (_, n): Promise<Loop> => {
      const port = await freePort()
      const body = { name: `Crash analyser ${n}`, labId: world.labId, protocol: 'ASTM', port }
      const made = await admin.call('POST', 'instruments', body)
      if (made.status !== 200) throw new Error(`instruments: ${JSON.stringify(made.body)}`)
      let analyser: Analyser | null = null
      const close = () => {
        analyser?.close()
        analyser = null
      }
      return async ({ ledger, isOver, noteAnswer }) => {
        const values = Array.from({ length: perMessage }, () => `value ${randomUUID()}`)
        const records = resultRecords(values.map((value) => ({ specimen: 'CRASH', code: 'X', value })))
        while (!isOver()) {
          try {
            analyser ??= await Analyser.connect({ port, answerMs: longestAckMs })
            await analyser.send(records)
            // Until the port is open on another server, it refuses.
            noteAnswer(0)
            ledger.measured.push(...values)
            await wait(betweenMs)
            return
          } catch {
            close()
            await wait(betweenMs)
          }
        }
        close()
      }
    }),
  )
}

type World = Awaited<ReturnType<typeof makeWorld>>

/** One practice that everything is about. */
const makeWorld = async (given: Given, { pool }: Cluster) => {
  const { country_id: countryId, state_id: stateId } = await given.address()
  const [cola, lab] = [await given.collaborator(), await given.lab()]
  const client = await given.client({
    collaborator_id: cola.id,
    transmit_method_code: 'EMAIL',
    email: 'reports@practice.example',
  })
  const physician = await given.physician()
  const link = await given.clientPhysician(client.id, physician.id)
  const event = await given.event(client.id)
  const patient = await given.patient({ first_name: 'Kim', last_name: 'Crash', dob: '1970-02-03' })
  const order = async (over: Parameters<Given['requisition']>[0]): Promise<number> =>
    (
      await given.requisition({
        client_id: client.id,
        physician_id: physician.id,
        ordering_client_physician_id: link.id,
        event_id: event.id,
        patient_id: patient.id,
        lab_id: lab.id,
        ...over,
      })
    ).id
  const icd = async (reqId: number) => {
    await pool.query(
      "insert into requisition_icd (requisition_id, icd_id) select $1, id from icd where code = 'E11.9'",
      [reqId],
    )
  }
  await pool.query('insert into client_lab (client_id, lab_id) values ($1, $2)', [client.id, lab.id])
  const { rows } = await pool.query<{ npi: string }>('select npi_number as npi from physician where id = $1', [
    physician.id,
  ])
  const userName = 'crash.tester'
  const { id: userId } = await given.user('MGMT', undefined, { user_name: userName })
  await pool.query('insert into identity_user (user_id, password_hash, password_set_at) values ($1, $2, now())', [
    userId,
    await hashPassword(password),
  ])
  return {
    countryId,
    stateId,
    colaId: cola.id,
    labId: lab.id,
    clientId: client.id,
    npi: rows[0]?.npi ?? '',
    reqId: await order({ status_code: 'PROCESS' }),
    patient: { firstName: 'Kim', lastName: 'Crash', dob: '1970-02-03' },
    order,
    icd,
    userName,
    userId,
  }
}
