import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * `localhost` resolves to two addresses on most machines. Fastify would open a second server for the other one, to which the connection
 * limits of the first do not apply; instead its connections are passed to the first server.
 */
export const listen = async (app: FastifyInstance, { port, host }: { port: number; host: string }) => {
  const found = host === 'localhost' ? await lookup(host, { all: true }).catch(() => []) : []
  const [first = host, ...others] = found.map(({ address }) => address)
  const forwarders = others.map((address) => {
    const forwarder = createServer((socket) => app.server.emit('connection', socket))
    forwarder.on('error', () => undefined) // the address does not exist here or is in use: the first one is enough
    return { address, forwarder }
  })
  app.addHook('preClose', async () => {
    for (const { forwarder } of forwarders) forwarder.close()
  })
  await app.listen({ port, host: first })
  const boundPort = (app.server.address() as AddressInfo).port
  for (const { address, forwarder } of forwarders) forwarder.listen(boundPort, address)
}
