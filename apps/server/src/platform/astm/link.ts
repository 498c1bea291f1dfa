import { control, framesOf, type Signal } from './frames.ts'

/*
 * The state machine of LIS01-A2 for one connection, without sockets and clocks: an event gives the next state, what to do, and when to
 * come back if nothing happens.
 *
 *   IDLE        nobody has the line
 *   RECEIVING   the instrument sends
 *   CALLING     we have sent ENQ
 *   SENDING     we have sent a frame
 *   PAUSED      the instrument was busy (NAK to ENQ)
 *   YIELDED     both have sent ENQ: we wait for the instrument's next one
 */

const answerMs = 15_000
const nextFrameMs = 30_000
const busyMs = 10_000
const contentionMs = 20_000
const mostTries = 6

export interface LinkState {
  mode: 'IDLE' | 'RECEIVING' | 'CALLING' | 'SENDING' | 'PAUSED' | 'YIELDED'
  /** Of the last accepted frame of this session; null before the first. */
  lastFrame: number | null
  /** Messages that wait to be sent; the first one is being sent in CALLING and SENDING. */
  outbox: readonly Outgoing[]
  /** The frame being sent, and the number of attempts. */
  frame: number
  tries: number
}

interface Outgoing {
  id: number
  frames: readonly Buffer[]
}

export type LinkEvent =
  | Signal
  | { kind: 'TIMEOUT' }
  | { kind: 'CLOSED' }
  | { kind: 'SEND'; id: number; message: string }

export type EndOfSession = 'EOT' | 'ENQ' | 'TIMEOUT' | 'CLOSED'

export type LinkAction =
  | { do: 'WRITE'; bytes: Buffer }
  /** To be stored before the next action, which acknowledges it. */
  | { do: 'TAKE'; text: string; isLast: boolean }
  /** The instrument has finished sending in this session. */
  | { do: 'END'; why: EndOfSession }
  | { do: 'SENT'; id: number }
  | { do: 'FAILED'; id: number; why: string }

export interface Step {
  state: LinkState
  actions: LinkAction[]
  /** Milliseconds until TIMEOUT; null for none, 'keep' for the previous value. */
  timer: number | null | 'keep'
}

export const idleLink: LinkState = { mode: 'IDLE', lastFrame: null, outbox: [], frame: 0, tries: 0 }

const write = (byte: number): LinkAction => ({ do: 'WRITE', bytes: Buffer.from([byte]) })
const ack = write(control.ACK)
const nak = write(control.NAK)
const enq = write(control.ENQ)
const eot = write(control.EOT)

export const step = (state: LinkState, event: LinkEvent): Step => {
  if (event.kind === 'SEND') return queue(state, { id: event.id, frames: framesOf(event.message) })
  if (event.kind === 'CLOSED') return close(state)
  switch (state.mode) {
    case 'RECEIVING':
      return receive(state, event)
    case 'CALLING':
      return call(state, event)
    case 'SENDING':
      return send(state, event)
    default:
      return wait(state, event)
  }
}

const ignore = (state: LinkState): Step => ({ state, actions: [], timer: 'keep' })

const queue = (state: LinkState, message: Outgoing): Step => {
  const queued = { ...state, outbox: [...state.outbox, message] }
  return state.mode === 'IDLE' ? startCalling(queued) : ignore(queued)
}

const close = (state: LinkState): Step => ({
  state: idleLink,
  actions: [
    ...(state.mode === 'RECEIVING' ? [{ do: 'END', why: 'CLOSED' } as const] : []),
    ...state.outbox.map(({ id }) => ({ do: 'FAILED', id, why: 'The connection was closed' }) as const),
  ],
  timer: null,
})

/** The line is free: waiting messages are sent. */
const rest = (state: LinkState, actions: LinkAction[]): Step => {
  const idle = { ...state, mode: 'IDLE' as const, lastFrame: null, frame: 0, tries: 0 }
  if (state.outbox.length === 0) return { state: idle, actions, timer: null }
  const next = startCalling(idle)
  return { ...next, actions: [...actions, ...next.actions] }
}

const startCalling = (state: LinkState): Step => ({
  state: { ...state, mode: 'CALLING', tries: 1 },
  actions: [enq],
  timer: answerMs,
})

const startReceiving = (state: LinkState, before: LinkAction[] = []): Step => ({
  state: { ...state, mode: 'RECEIVING', lastFrame: null },
  actions: [...before, ack],
  timer: nextFrameMs,
})

/** IDLE, PAUSED and YIELDED. */
const wait = (state: LinkState, event: LinkEvent): Step => {
  if (event.kind === 'ENQ') return startReceiving(state)
  if (event.kind !== 'TIMEOUT' || state.mode === 'IDLE') return ignore(state)
  return { state: { ...state, mode: 'CALLING', tries: state.tries + 1 }, actions: [enq], timer: answerMs }
}

const receive = (state: LinkState, event: LinkEvent): Step => {
  switch (event.kind) {
    case 'EOT':
      return rest(state, [{ do: 'END', why: 'EOT' }])
    case 'TIMEOUT':
      return rest(state, [{ do: 'END', why: 'TIMEOUT' }])
    case 'ENQ':
      // Our ACK to the first ENQ was lost, or the instrument has started again.
      return startReceiving(state, state.lastFrame === null ? [] : [{ do: 'END', why: 'ENQ' }])
    case 'FRAME': {
      const { frame } = event
      const { lastFrame } = state
      if (frame !== null && frame.number === lastFrame) return { state, actions: [ack], timer: nextFrameMs }
      if (frame === null || frame.number !== ((lastFrame ?? 0) + 1) % 8)
        return { state, actions: [nak], timer: nextFrameMs }
      return {
        state: { ...state, lastFrame: frame.number },
        actions: [{ do: 'TAKE', text: frame.text, isLast: frame.isLast }, ack],
        timer: nextFrameMs,
      }
    }
    default:
      return ignore(state)
  }
}

const call = (state: LinkState, event: LinkEvent): Step => {
  switch (event.kind) {
    case 'ACK':
      return sendFrame({ ...state, mode: 'SENDING', frame: 0, tries: 0 }, [])
    case 'ENQ':
      return { state: { ...state, mode: 'YIELDED' }, actions: [], timer: contentionMs }
    case 'NAK':
      if (state.tries >= mostTries) return giveUp(state, 'The instrument was busy')
      return { state: { ...state, mode: 'PAUSED' }, actions: [], timer: busyMs }
    case 'TIMEOUT':
      return giveUp(state, 'The instrument did not answer')
    default:
      return ignore(state)
  }
}

const send = (state: LinkState, event: LinkEvent): Step => {
  const [message] = state.outbox
  switch (event.kind) {
    case 'ACK':
    case 'EOT':
      // EOT accepts the frame too, and asks for the line; it is given back after the message.
      if (message && state.frame + 1 < message.frames.length)
        return sendFrame({ ...state, frame: state.frame + 1, tries: 0 }, [])
      return rest({ ...state, outbox: state.outbox.slice(1) }, [eot, { do: 'SENT', id: message?.id ?? 0 }])
    case 'TIMEOUT':
      return giveUp(state, 'The instrument did not answer')
    case 'NAK':
    case 'ENQ':
      // Anything but an acceptance refuses the frame.
      return state.tries >= mostTries
        ? giveUp(state, `The instrument refused a frame ${mostTries} times`)
        : sendFrame(state, [])
    default:
      return ignore(state)
  }
}

const sendFrame = (state: LinkState, before: LinkAction[]): Step => ({
  state: { ...state, tries: state.tries + 1 },
  actions: [...before, { do: 'WRITE', bytes: state.outbox[0]?.frames[state.frame] as Buffer }],
  timer: answerMs,
})

const giveUp = (state: LinkState, why: string): Step =>
  rest({ ...state, outbox: state.outbox.slice(1) }, [eot, { do: 'FAILED', id: state.outbox[0]?.id ?? 0, why }])
