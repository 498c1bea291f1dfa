import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

interface Behaviour {
  /** The status by which a recipient is rejected: 5xx for good, 4xx temporarily; false accepts it. */
  refuse: (address: string) => number | false
  /** The same for the sender. */
  refuseSender: number | false
  /** Accepts a message and never replies. */
  isSilent: boolean
  /** Answers this many messages, and is silent after them. */
  silentAfter: number
}

export interface MailServer extends Behaviour {
  url: string
  received: Email[]
  /** As the envelope names them, one list for each message. */
  recipients: string[][]
  /** How many messages it has accepted without a reply. */
  unanswered: number
  /** Clears the received messages and the settings. */
  reset: () => void
  close: () => Promise<void>
}

const friendly: Behaviour = {
  refuse: () => false,
  refuseSender: false,
  isSilent: false,
  silentAfter: Number.POSITIVE_INFINITY,
}

/** A real mail server that records what it receives. */
export const openMailServer = async (): Promise<MailServer> => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 200,
    onMailFrom: (_, __, done) => answer(done, state.refuseSender),
    onRcptTo: ({ address }, _, done) => answer(done, state.refuse(address)),
    onData: async (stream, { envelope }, done) => {
      const bytes = await buffer(stream).catch(() => null) // hung up in the middle: not a message
      if (!bytes) return
      if (state.isSilent || state.received.length >= state.silentAfter) {
        state.unanswered++
        return
      }
      state.recipients.push(envelope.rcptTo.map(({ address }) => address))
      state.received.push(await PostalMime.parse(bytes))
      done()
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((ready) => listening.once('listening', ready))
  const state: MailServer = {
    ...friendly,
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    received: [],
    recipients: [],
    unanswered: 0,
    reset: () => Object.assign(state, friendly, { received: [], recipients: [], unanswered: 0 }),
    close: () => new Promise((closed) => server.close(() => closed())),
  }
  return state
}

const answer = (done: (error?: Error) => void, responseCode: number | false) =>
  responseCode ? done(Object.assign(new Error('not taken'), { responseCode })) : done()
