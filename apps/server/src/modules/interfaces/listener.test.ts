import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { makeAuthority, writeFiles } from '../../../test/certificates.ts'
import { freePort } from '../../../test/free-port.ts'
import { type MllpClient, openMllpClient, segmentsOf } from '../../../test/mllp-client.ts'
import { openPartnerSystem } from '../../../test/partner-system.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { runServer, type ServerProcess, untilReady } from '../../../test/server-process.ts'
import { mllpBlock } from '../../platform/hl7/mllp-decoder.ts'

const codeOf = (answer: string) => segmentsOf(answer, 'MSA')[0]?.[1]

describe('the listener with TLS', () => {
  const authority = makeAuthority('Laboratory CA')
  const server = authority.issue('localhost')
  const files = writeFiles({ 'server.pem': server.cert, 'server.key': server.key, 'ca.pem': authority.cert })
  afterAll(files.remove)
  const system = openPartnerSystem({
    env: {
      HL7_LISTEN_TLS_CERT: files.pathOf('server.pem'),
      HL7_LISTEN_TLS_KEY: files.pathOf('server.key'),
      HL7_LISTEN_TLS_CA: files.pathOf('ca.pem'),
    },
    tls: { ca: authority.cert, ...authority.issue('practice') },
  })

  it('IFC-10 takes orders of a partner with a certificate of its authority', async () => {
    const partner = await system.open()
    expect(codeOf(await partner.ask(partner.order()))).toBe('AA')
    expect(await partner.messages()).toMatchObject([{ state: 'ACCEPTED' }])
  })

  it.each([
    ['without a certificate', () => ({ ca: authority.cert })],
    [
      'with a certificate of another authority',
      () => ({ ca: authority.cert, ...makeAuthority('Laboratory CA').issue('practice') }),
    ],
    ['without TLS', () => undefined],
  ])('IFC-10 closes a connection %s, and takes nothing from it', async (_, tlsOf) => {
    const partner = await system.open()
    const answer = sendOnce(() => openMllpClient(system.port(), { tls: tlsOf() }), partner.order())
    expect(await answer).toBe('closed')
    expect(await partner.messages()).toEqual([])
  })
})

/** The answer to a message, or 'closed' when the connection ends without one. */
const sendOnce = async (open: () => Promise<MllpClient>, text: string): Promise<string> => {
  const client = await open().catch(() => null)
  if (!client) return 'closed'
  const closed = new Promise<string>((done) => client.socket.once('close', () => done('closed')))
  client.write(mllpBlock(text))
  const answer = await Promise.race([client.next(), closed])
  client.close()
  return answer
}

describe('a server and a worker', () => {
  const system = openPartnerSystem()
  const running: ServerProcess[] = []
  afterAll(async () => {
    for (const one of running)
      if (one.child.exitCode === null && one.child.signalCode === null) await one.stop('SIGKILL')
  })

  it('IFC-10 IFC-21 take turns: when the listening process is killed, the other takes over within 10 s', async () => {
    const partner = await system.open()
    const { database } = system.test
    const port = await freePort()
    // Each at an address of its own, which shows who listens.
    const start = async (file: string, host: string) => {
      const one = await runServer(
        {
          DATABASE_URL: database.url,
          LIS_SECRET: 'x'.repeat(32),
          LIS_DATA_DIR: database.folder,
          LIS_WEB: 'vite',
          HL7_LISTEN: `${host}:${port}`,
        },
        file,
      )
      running.push(one)
      return { ...(await untilReady(one)), host }
    }
    await system.stopListening()
    const processes = [await start('main.ts', '127.0.0.2'), await start('worker.ts', '127.0.0.3')]
    const openAt = (host: string) => openMllpClient(port, { host }).catch(() => null)
    const findListener = async () => {
      for (;;) {
        for (const one of processes) {
          const client = await openAt(one.host)
          if (client) return { one, client }
        }
        await wait(50)
      }
    }
    const first = await findListener()
    const other = processes.find((one) => one !== first.one)
    const before = partner.order({ controlId: 'BEFORE' })
    const answer = await first.client.ask(before)
    expect(codeOf(answer)).toBe('AA')
    expect(await openAt(other?.host ?? '')).toBeNull()
    await first.one.stop('SIGKILL')
    const died = performance.now()
    const second = await findListener()
    expect(performance.now() - died).toBeLessThan(onQuietMachine(10_000))
    expect(second.one).toBe(other)
    expect(await second.client.ask(before)).toBe(answer)
    expect(codeOf(await second.client.ask(partner.order({ controlId: 'AFTER' })))).toBe('AA')
    for (const { client } of [first, second]) client.close()
    expect(await partner.messages()).toMatchObject([
      { controlId: 'AFTER', attempts: 1 },
      { controlId: 'BEFORE', attempts: 2 },
    ])
  }, 180_000)
})
