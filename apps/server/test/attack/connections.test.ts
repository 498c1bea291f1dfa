import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { networkOf } from '../../src/platform/ip-network.ts'
import { openTestApp } from '../app.ts'
import { onQuietMachine } from '../quiet-machine.ts'

const most = 20
const test = openTestApp({ env: { CONNECTIONS_PER_ADDRESS: String(most) } })
const bodyMs = 500
let app: FastifyInstance
let port: number
beforeAll(async () => {
  app = await buildApp(test.services, { bodyMs })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())

const open = () => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  return socket
}
const closed = (socket: Socket) =>
  socket.closed ? Promise.resolve() : new Promise<void>((done) => socket.once('close', () => done()))

/** Announces a large body, sends a byte now and then, and returns after how many milliseconds it was disconnected, and the reply so far. */
const dribble = async (head: string) => {
  const socket = open()
  let heard = ''
  socket.on('data', (text) => {
    heard += text
  })
  socket.write(`${head}\r\nHost: x\r\nContent-Length: 100000\r\n\r\n`)
  const begun = performance.now()
  const trickle = setInterval(() => socket.writable && socket.write('{'), 20)
  await closed(socket)
  clearInterval(trickle)
  return { ms: performance.now() - begun, status: Number(/^HTTP\/1.1 (\d+)/.exec(heard)?.[1] ?? 0) }
}

describe('a body that arrives one byte at a time', () => {
  const form = 'Content-Type: multipart/form-data; boundary=x'
  const json = 'Content-Type: application/json'

  it.each([
    ['a call', `POST /api/v3.0/mfa/session HTTP/1.1\r\n${json}`],
    ['the user pool', `POST /idp HTTP/1.1\r\n${json}`],
    ['a path that is not there', `POST /nothing/here HTTP/1.1\r\n${json}`],
    ['a path of the API that is not there', `PUT /api/v3.0/nothing HTTP/1.1\r\n${json}`],
    ['/healthz', 'GET /healthz HTTP/1.1'],
    ['/metrics', 'GET /metrics HTTP/1.1'],
    ['the page', 'GET / HTTP/1.1'],
    ['an address that cannot be read', 'POST /%zz HTTP/1.1'],
    ['the store, unsigned', `POST /storage HTTP/1.1\r\n${form}`],
    ['the store, as JSON', `POST /storage HTTP/1.1\r\n${json}`],
    ['a file of the store', 'GET /storage/x HTTP/1.1'],
  ])('ends after a while at %s', async (_, head) => {
    expect((await dribble(head)).ms).toBeLessThan(bodyMs + onQuietMachine(5000))
  })

  it('ends also when the upload is signed and its fields do not come', async () => {
    const { url } = await test.services.store.uploadSlot('doc/slow.pdf', { maxBytes: 1000, expiresSeconds: 60 })
    const { pathname, search } = new URL(url)
    expect((await dribble(`POST ${pathname}${search} HTTP/1.1\r\n${form}`)).ms).toBeLessThan(
      bodyMs + onQuietMachine(5000),
    )
  })
})

describe('an upload', () => {
  it('is rejected by its URL before any of its body has been sent', async () => {
    const socket = open()
    socket.write(
      'POST /storage?policy=x HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n',
    )
    const [heard] = await new Promise<[Buffer]>((done) => socket.once('data', (data) => done([data])))
    expect(String(heard)).toMatch(/^HTTP\/1.1 403/)
    expect(String(heard)).toContain('The upload signature is not valid')
    await closed(socket)
  })
})

describe('connections of one address', () => {
  it('are rejected above the limit, and accepted again when others have ended', async () => {
    const sockets = Array.from({ length: most + 10 }, open)
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(10)
    await wait(100)
    expect(sockets.filter(({ closed }) => closed).length).toBe(10)
    for (const socket of sockets) socket.destroy()
    await Promise.all(sockets.map(closed))
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.status).toBe(200)
  })

  it('are counted together for the many addresses of one subscriber', () => {
    expect(
      ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::1', '::1', 'fe80::1%eth0'].map(networkOf),
    ).toEqual(['10.1.2.3', '10.1.2.3', '2001:db8:1:2::/64', '2001:db8:1:2::/64', '0:0:0:0::/64', 'fe80:0:0:0::/64'])
  })
})
