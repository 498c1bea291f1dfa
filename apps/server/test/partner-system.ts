import { setTimeout as wait } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { afterAll, beforeAll } from 'vitest'
import { startListener } from '../src/modules/interfaces/listener.ts'
import { openWorkQueue, type WorkQueue } from '../src/modules/interfaces/work-queue.ts'
import { type Caller, openTestApp, type TestApp } from './app.ts'
import { type MllpClient, openMllpClient } from './mllp-client.ts'

export interface PartnerSystem {
  test: TestApp
  admin: Caller
  staff: Caller
  queue: WorkQueue
  port: () => number
  /** Leaves listening to others. */
  stopListening: () => Promise<void>
  /** A partner with a client that can be ordered for, and a connection of its own. */
  open: (over?: Record<string, unknown>) => Promise<OpenPartner>
}

export interface OpenPartner {
  id: number
  clientId: number
  colaId: number
  npi: string
  physId: number
  app: string
  name: string
  client: MllpClient
  /** Sends a message, and waits until it has been answered and processed. */
  ask: MllpClient['ask']
  /** An order of this partner; segments can be replaced or left out. */
  order: (over?: OrderText) => string
  messages: (filter?: string) => Promise<Record<string, unknown>[]>
}

interface OrderText {
  controlId?: string
  /** Further fields of MSH, from MSH-11. */
  header?: string
  type?: string
  pid?: string
  control?: string
  placer?: string
  obr?: string[]
  more?: string[]
  orc?: string
}

let serial = 0
export const nextNumber = () => ++serial

interface PartnerSystemOptions {
  blockMs?: number
  env?: Record<string, string>
  /** How its partners connect. */
  tls?: ConnectionOptions
}

/** The whole server with a listener on a free port. */
export const openPartnerSystem = ({ blockMs, env = {}, tls }: PartnerSystemOptions = {}): PartnerSystem => {
  const test = openTestApp({ env: { HL7_LISTEN: '127.0.0.1:0', ...env } })
  const system = { test } as PartnerSystem
  const clients: MllpClient[] = []
  let listener: ReturnType<typeof startListener>
  beforeAll(async () => {
    const { services, database } = test
    const queue = openWorkQueue(services)
    listener = startListener({
      services,
      queue,
      databaseUrl: database.url,
      everyMs: 100,
      ...(blockMs !== undefined && { blockMs }),
    })
    for (let tries = 0; listener.port() === null && tries < 200; tries++)
      await new Promise((done) => setTimeout(done, 50))
    const port = () => listener.port() as number
    const open = async (over: Record<string, unknown> = {}) => {
      const partner = await openPartner(system, over, tls)
      clients.push(partner.client)
      return partner
    }
    const stopListening = () => listener.stop()
    Object.assign(system, {
      queue,
      port,
      stopListening,
      open,
      admin: await test.as('ADM'),
      staff: await test.as('STF'),
    })
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await listener?.stop()
    await system.queue?.stop()
  })
  return system
}

const openPartner = async (
  system: PartnerSystem,
  over: Record<string, unknown>,
  tls: ConnectionOptions | undefined,
): Promise<OpenPartner> => {
  const { test, admin } = system
  const collaborator = await test.given.collaborator()
  const client = await test.given.client({ collaborator_id: collaborator.id })
  const lab = await test.given.lab()
  await test.database.db.insertInto('client_lab').values({ client_id: client.id, lab_id: lab.id }).execute()
  await test.given.event(client.id)
  const physician = await test.given.physician({ first_name: 'Ada', last_name: `Okonjo${nextNumber()}` })
  await test.given.clientPhysician(client.id, physician.id)
  const { npi_number: npi } = await test.database.db
    .selectFrom('physician')
    .select('npi_number')
    .where('id', '=', physician.id)
    .executeTakeFirstOrThrow()
  const app = `EHR${nextNumber()}`
  const name = `Practice system ${serial}`
  const owner = over.colaId ? { colaId: collaborator.id } : { clientId: client.id }
  const { body } = await admin.post('interfaces', {
    name,
    kind: 'HL7',
    sendingApp: app,
    sendingFacility: 'FAC',
    ...over,
    ...(over.colaId ? { colaId: collaborator.id } : owner),
  })
  const { id } = body.data
  const mllp = await openMllpClient(system.port(), { tls })
  return {
    id,
    clientId: client.id,
    colaId: collaborator.id,
    npi,
    physId: physician.id,
    app,
    name,
    client: mllp,
    ask: async (message) => {
      const answer = await mllp.ask(message)
      while (system.queue.size() > 0) await wait(10)
      return answer
    },
    order: (text = {}) => orderText(app, npi, text),
    messages: async (filter = '') =>
      (
        await system.staff.get(
          `interface_messages?perPage=100&filter=${encodeURIComponent(`[interfaceId:${id}${filter}]`)}`,
        )
      ).body.data,
  }
}

/** Some days ago, as HL7 writes it. */
export const recently = () => {
  const date = new Date(Date.now() - 2 * 86_400_000)
  return `${date.toISOString().slice(0, 10).replaceAll('-', '')}0805`
}

const orderText = (app: string, npi: string, text: OrderText): string => {
  const number = nextNumber()
  const {
    controlId = `C${number}`,
    type = 'ORM^O01',
    header = 'P|2.5.1',
    pid = `PID|1||M${number}^^^FAC^MR||Vargas${number}^Inés||19790509|F|||410 Alder St^^Salem^OR^97301||5035550163`,
    control = 'NW',
    placer = `P${number}`,
    obr = ['LIPID^Lipid panel^L'],
    more = [],
    orc = `ORC|${control}|${placer}||||||||||${npi}^Okonjo^Ada^^^^^^NPI`,
  } = text
  return [
    `MSH|^~\\&|${app}|FAC|LIS|LAB|20261118083712||${type}|${controlId}|${header}`,
    pid,
    orc,
    ...obr.map((code, index) => `OBR|${index + 1}|${placer}||${code}|||${recently()}`),
    ...more,
  ]
    .filter(Boolean)
    .join('\r')
}
