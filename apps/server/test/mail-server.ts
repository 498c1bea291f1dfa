import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  url: string
  received: Email[]
  /** The code by which an address is refused: 5xx for good, 4xx for now; false takes it. */
  refuse: (address: string) => number | false
  /** How long each message takes. */
  slowMs: number
  close: () => Promise<void>
}

/** A real mail server that keeps what it gets. */
export const openMailServer = async (): Promise<MailServer> => {
  const state: MailServer = { url: '', received: [], refuse: () => false, slowMs: 0, close: async () => undefined }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 200,
    onRcptTo: ({ address }, _, done) => {
      const responseCode = state.refuse(address)
      return responseCode ? done(Object.assign(new Error('not taken'), { responseCode })) : done()
    },
    onData: async (stream, _, done) => {
      const bytes = await buffer(stream).catch(() => null) // hung up in the middle: not a message
      if (!bytes) return
      await wait(state.slowMs)
      state.received.push(await PostalMime.parse(bytes))
      done()
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((ready) => listening.once('listening', ready))
  state.url = `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`
  state.close = () => new Promise((closed) => server.close(() => closed()))
  return state
}
