import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface GatewayCall {
  body: unknown
  authorization: string | undefined
  key: string | undefined
}

/** An SMS gateway that records what it receives and answers as configured. */
export const openSmsGateway = async (status: () => number) => {
  const calls: GatewayCall[] = []
  const server = createServer(async (request, reply) => {
    const { authorization, 'idempotency-key': key } = request.headers
    calls.push({ body: await json(request), authorization, key: key?.toString() })
    reply.writeHead(status()).end('told so')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sms`,
    close: () => server.close(),
  }
}
