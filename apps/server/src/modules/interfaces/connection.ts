import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { encodeFor } from '../../platform/hl7/message.ts'
import { MessageTooLarge, MllpDecoder, maxMessageBytes, mllpBlock } from '../../platform/hl7/mllp-decoder.ts'
import type { Log } from '../../platform/log.ts'
import { type IntakeServices, receiveHl7, recordClosedConnection } from './intake.ts'
import type { WorkQueue } from './work-queue.ts'

export interface ConnectionOptions {
  services: IntakeServices & { log: Pick<Log, 'warn' | 'error'> }
  queue: WorkQueue
  /** How long a block may take to arrive. */
  blockMs?: number
}

const longestBlockMs = 30_000
/** With few messages before it, an answer waits until the message was processed, so that the sender then finds its order. */
const patientMessages = 3
const longestWaitMs = 1000
/** A partner that does not read its answers is disconnected. */
const longestUnreadMs = 60_000

/** Answers the messages of one connection, in their order, until either side closes it. */
export const serveConnection = (socket: Socket, options: ConnectionOptions) => {
  const { services, queue, blockMs = longestBlockMs } = options
  const decoder = new MllpDecoder()
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  const close = async (reason: string) => {
    if (isClosing) return
    isClosing = true
    clearTimeout(timer)
    socket.destroy()
    await recordClosedConnection(services, reason).catch((error) =>
      services.log.error({ err: error }, 'a closed connection was not recorded'),
    )
  }

  const watchBlock = () => {
    if (!decoder.isInBlock) {
      clearTimeout(timer)
      timer = undefined
    } else timer ??= setTimeout(() => void close(`No end of the message within ${blockMs / 1000} seconds`), blockMs)
  }

  const answer = async (bytes: Buffer, isLast: boolean) => {
    const received = await queue.whileReceiving(() => receiveHl7(services, bytes))
    const { work } = received
    if (work) {
      const isQuiet = isLast && queue.size() < patientMessages
      const processed = queue.add(work)
      if (isQuiet) await Promise.race([processed, wait(longestWaitMs, undefined, { ref: false })])
    }
    if (received.answer !== null) await write(socket, mllpBlock(encodeFor(received, received.answer)))
  }

  const serve = async () => {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      let messages: Buffer[]
      try {
        messages = decoder.push(chunk)
      } catch (error) {
        if (!(error instanceof MessageTooLarge)) throw error
        await close(`More than ${maxMessageBytes / 1024 / 1024} MB without the end of the message`)
        return
      }
      if (messages.length > 0) {
        clearTimeout(timer)
        timer = undefined
      }
      watchBlock()
      // Messages that have arrived are answered first.
      for (const [index, message] of messages.entries())
        await answer(message, index === messages.length - 1 && socket.readableLength === 0)
    }
  }

  socket.on('error', () => undefined)
  return serve()
    .catch((error) => {
      // Without an answer the sender sends it again.
      if (!socket.destroyed) services.log.error({ err: error }, 'a connection of a partner has failed')
    })
    .finally(() => {
      clearTimeout(timer)
      socket.destroy()
    })
}

/** Waits while the other side does not read. */
const write = async (socket: Socket, bytes: Buffer) => {
  if (socket.destroyed || socket.write(bytes)) return
  const stop = new AbortController()
  try {
    await Promise.race([
      new Promise<void>((resolve) => {
        socket.once('drain', resolve)
        socket.once('close', resolve)
      }),
      wait(longestUnreadMs, undefined, { ref: false, signal: stop.signal }).then(() => socket.destroy()),
    ])
  } finally {
    stop.abort()
  }
}
