import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PlainProxy {
  url: string
  port: number
  /** Sets the targets: the servers are started after the proxy, because they need its address. */
  leadTo: (urls: readonly string[]) => void
  close: () => Promise<void>
}

/**
 * A plain proxy: each call goes to the next server in turn, regardless of its sender. It knows nothing of sessions and does not try again; a server
 * that breaks off is left out from then on.
 */
export const openProxy = async (): Promise<PlainProxy> => {
  let targets: URL[] = []
  let turn = 0
  const server = createServer((request, response) => {
    const target = targets[turn++ % targets.length]
    if (!target) return response.writeHead(503).end()
    let isGone = false // the caller has hung up
    const forwarded = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress ?? '' }
    const onward = send(
      {
        host: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: forwarded,
        agent: false,
      },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        response.flushHeaders() // an event stream has its head long before its first event
        reply.pipe(response)
        reply.on('error', () => response.destroy())
        reply.on('aborted', () => response.destroy())
      },
    )
    onward.on('error', () => {
      if (isGone) return
      targets = targets.filter((one) => one !== target)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
    response.on('close', () => {
      isGone = true
      onward.destroy()
    })
    request.pipe(onward)
  })
  await new Promise<void>((ready) => server.listen(0, 'localhost', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    port,
    leadTo: (urls) => {
      targets = urls.map((url) => new URL(url))
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}
