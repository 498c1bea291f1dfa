import type { Socket } from 'node:net'
import { FrameReader } from '../../platform/astm/frames.ts'
import { type EndOfSession, idleLink, type LinkAction, type LinkEvent, step } from '../../platform/astm/link.ts'
import { MessageReader } from '../../platform/astm/records.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { answerQuery } from './host-query.ts'
import { loadPending, setLinkMessage, settleOutgoing, storeOutgoing, storeTaken } from './link-store.ts'
import type { Connection, ConnectionOptions } from './linked-instrument.ts'
import { isQuery, queriedSpecimens } from './read-astm.ts'
import { waitForWork } from './wait-for-work.ts'

const why: Record<EndOfSession, string> = {
  EOT: 'The instrument ended the session before the L record',
  ENQ: 'The instrument began again before the L record',
  TIMEOUT: 'The next frame did not come within 30 seconds',
  CLOSED: 'The connection ended before the L record',
}
const died = 'The server stopped before the L record came'

/** Executes the actions of the state machine for one connection: bytes, timers and storage. */
export const serveAstm = (socket: Socket, { services, instrument, queue }: ConnectionOptions): Connection => {
  const frames = new FrameReader()
  let messages = new MessageReader()
  let state = idleLink
  let timer: NodeJS.Timeout | undefined
  /** Events are handled one at a time, so an acknowledgement is sent after the message is stored. */
  let chain: Promise<void> = begin()

  async function begin() {
    const left = new MessageReader(await loadPending(services, instrument.id)).end()
    if (left) await take([{ raw: left.text, state: 'INCOMPLETE', reason: died }], '')
  }

  const take = async (list: Parameters<typeof storeTaken>[3]['messages'], pending: string) => {
    await storeTaken(services, instrument.id, 'ASTM', { messages: list, pending })
    for (const { reason, state: how } of list)
      if (how === 'INCOMPLETE' && reason) await setLinkMessage(services, instrument.id, reason)
  }

  const takeText = async (text: string, isLast: boolean) => {
    const found = messages.push(text, isLast)
    await take(
      found.map(({ text: raw, isComplete }) =>
        isComplete
          ? { raw, state: 'COMPLETE' as const }
          : { raw, state: 'INCOMPLETE' as const, reason: 'The message has no header, or no L record' },
      ),
      messages.pending,
    )
    const complete = found.filter(({ isComplete }) => isComplete).map(({ text: raw }) => raw)
    if (complete.length > 0) await waitForWork(queue, instrument.id)
    for (const raw of complete.filter(isQuery)) await answer(raw)
  }

  const answer = async (query: string) => {
    const db = services.databases(systemScope)
    const message = await answerQuery(db, instrument, queriedSpecimens(query))
    const id = await storeOutgoing(services, instrument.id, message)
    if (id !== undefined) handle({ kind: 'SEND', id, message })
  }

  const end = async (how: EndOfSession) => {
    const left = messages.end()
    if (left) await take([{ raw: left.text, state: 'INCOMPLETE', reason: why[how] }], '')
  }

  const carryOut = async (action: LinkAction) => {
    switch (action.do) {
      case 'WRITE':
        if (!socket.destroyed) socket.write(action.bytes)
        return
      case 'TAKE':
        return takeText(action.text, action.isLast)
      case 'END':
        return end(action.why)
      case 'SENT':
        return settleOutgoing(services, action.id, null)
      case 'FAILED':
        await settleOutgoing(services, action.id, action.why)
        return setLinkMessage(services, instrument.id, `A message was not sent: ${action.why}`)
    }
  }

  const react = async (event: LinkEvent) => {
    const next = step(state, event)
    state = next.state
    if (next.timer !== 'keep') clearTimeout(timer)
    for (const action of next.actions) await carryOut(action)
    if (next.timer !== 'keep' && next.timer !== null && !socket.destroyed)
      timer = setTimeout(() => {
        frames.reset()
        handle({ kind: 'TIMEOUT' })
      }, next.timer)
  }

  const handle = (event: LinkEvent) => {
    chain = chain
      .then(() => react(event))
      .catch((error) => {
        // Without an acknowledgement the instrument sends it again.
        services.log.error({ err: error, instrumentId: instrument.id }, 'the connection of an instrument has failed')
        socket.destroy()
      })
  }

  chain.catch(() => undefined)
  socket.on('data', (chunk: Buffer) => {
    for (const signal of frames.push(chunk)) handle(signal)
  })
  return {
    send: (id, message) => {
      if (socket.destroyed) return false
      handle({ kind: 'SEND', id, message })
      return true
    },
    closed: async () => {
      handle({ kind: 'CLOSED' })
      await chain
      clearTimeout(timer)
      messages = new MessageReader()
    },
  }
}
