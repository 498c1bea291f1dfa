import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * `localhost` is two addresses on most machines. Fastify would open a second server for the other one, to which the limits of the first
 * do not apply; so its connections are handed to the first instead.
 */
export const listen = async (app: FastifyInstance, { port, host }: { port: number; host: string }) => {
  const found = host === 'localhost' ? await lookup(host, { all: true }).catch(() => []) : []
  const [first = host, ...others] = found.map(({ address }) => address)
  const doors = others.map((address) => {
    const door = createServer((socket) => app.server.emit('connection', socket))
    door.on('error', () => undefined) // not there on this machine, or taken: the first is enough
    return { address, door }
  })
  app.addHook('preClose', async () => {
    for (const { door } of doors) door.close()
  })
  await app.listen({ port, host: first })
  const own = (app.server.address() as AddressInfo).port
  for (const { address, door } of doors) door.listen(own, address)
}
