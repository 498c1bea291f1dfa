import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { astmFrame } from '../../../seeds/laboratory/analyser.ts'
import { checksumOf, FrameReader, framesOf, type Signal } from './frames.ts'
import { idleLink, type LinkAction, type LinkEvent, type LinkState, step } from './link.ts'
import { MessageReader, parseAstm } from './records.ts'

const signal = (kind: 'ENQ' | 'ACK' | 'NAK' | 'EOT'): LinkEvent => ({ kind })
const frame = (number: number, text = `${number}`, isLast = true): LinkEvent => ({
  kind: 'FRAME',
  frame: { number, text, isLast },
})
const badFrame: LinkEvent = { kind: 'FRAME', frame: null }
const timeout: LinkEvent = { kind: 'TIMEOUT' }
const message = (id: number, text = 'H|\\^&\rL|1|N\r'): LinkEvent => ({ kind: 'SEND', id, message: text })

const names: Record<string, string> = { '5': 'ENQ', '6': 'ACK', '21': 'NAK', '4': 'EOT' }
const nameOf = (action: LinkAction) => {
  if (action.do !== 'WRITE') return action.do === 'END' ? `END ${action.why}` : action.do
  return action.bytes.length === 1
    ? (names[String(action.bytes[0])] ?? '?')
    : `frame ${String.fromCharCode(action.bytes[1] ?? 0)}`
}
/** What happens, with the state and the time limit at the end. */
const run = (events: readonly LinkEvent[], from: LinkState = idleLink) => {
  let state = from
  let timer: number | null = null
  const said: string[] = []
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    if (next.timer !== 'keep') timer = next.timer
    said.push(...next.actions.map(nameOf))
  }
  return { said: said.join(' '), mode: state.mode, timer, state }
}

describe('the state machine of LIS01-A2', () => {
  it.each<[string, LinkEvent[], string, string, number | null]>([
    ['answers ENQ by ACK and waits 30 seconds for a frame', [signal('ENQ')], 'ACK', 'RECEIVING', 30_000],
    [
      'ignores bytes outside a session',
      [signal('ACK'), signal('NAK'), signal('EOT'), frame(1), badFrame],
      '',
      'IDLE',
      null,
    ],
    ['takes a frame before it acknowledges it', [signal('ENQ'), frame(1)], 'ACK TAKE ACK', 'RECEIVING', 30_000],
    ['ends a session with EOT', [signal('ENQ'), frame(1), signal('EOT')], 'ACK TAKE ACK END EOT', 'IDLE', null],
    ['ends a session after 30 seconds without a frame', [signal('ENQ'), timeout], 'ACK END TIMEOUT', 'IDLE', null],
    ['answers a second ENQ before any frame by ACK', [signal('ENQ'), signal('ENQ')], 'ACK ACK', 'RECEIVING', 30_000],
    [
      'begins again with an ENQ within a session',
      [signal('ENQ'), frame(1), signal('ENQ'), frame(1)],
      'ACK TAKE ACK END ENQ ACK TAKE ACK',
      'RECEIVING',
      30_000,
    ],
    ['ends a session when the connection closes', [signal('ENQ'), { kind: 'CLOSED' }], 'ACK END CLOSED', 'IDLE', null],
    [
      'ignores ACK and NAK while it receives',
      [signal('ENQ'), signal('ACK'), signal('NAK')],
      'ACK',
      'RECEIVING',
      30_000,
    ],
    ['calls and waits 15 seconds for the answer', [message(1)], 'ENQ', 'CALLING', 15_000],
    ['sends a frame after ACK and waits 15 seconds', [message(1), signal('ACK')], 'ENQ frame 1', 'SENDING', 15_000],
    [
      'sends EOT after the last frame',
      [message(1), signal('ACK'), signal('ACK')],
      'ENQ frame 1 EOT SENT',
      'IDLE',
      null,
    ],
    [
      'takes EOT as the acceptance of a frame',
      [message(1), signal('ACK'), signal('EOT')],
      'ENQ frame 1 EOT SENT',
      'IDLE',
      null,
    ],
    ['gives up a call without an answer', [message(1), timeout], 'ENQ EOT FAILED', 'IDLE', null],
    [
      'gives up a frame without an answer',
      [message(1), signal('ACK'), timeout],
      'ENQ frame 1 EOT FAILED',
      'IDLE',
      null,
    ],
    ['waits 10 seconds after NAK to ENQ', [message(1), signal('NAK')], 'ENQ', 'PAUSED', 10_000],
    ['calls again after that', [message(1), signal('NAK'), timeout], 'ENQ ENQ', 'CALLING', 15_000],
    [
      'takes a call of the instrument meanwhile',
      [message(1), signal('NAK'), signal('ENQ')],
      'ENQ ACK',
      'RECEIVING',
      30_000,
    ],
    [
      'gives up after six calls that were answered by NAK',
      [message(1), ...Array.from({ length: 6 }, () => [signal('NAK'), timeout]).flat()].slice(0, -1),
      'ENQ ENQ ENQ ENQ ENQ ENQ EOT FAILED',
      'IDLE',
      null,
    ],
    ['steps back when both call, and waits 20 seconds', [message(1), signal('ENQ')], 'ENQ', 'YIELDED', 20_000],
    [
      'then takes the next call of the instrument',
      [message(1), signal('ENQ'), signal('ENQ')],
      'ENQ ACK',
      'RECEIVING',
      30_000,
    ],
    [
      'and calls again when the instrument has ended',
      [message(1), signal('ENQ'), signal('ENQ'), signal('EOT')],
      'ENQ ACK END EOT ENQ',
      'CALLING',
      15_000,
    ],
    ['or after 20 seconds without a call', [message(1), signal('ENQ'), timeout], 'ENQ ENQ', 'CALLING', 15_000],
    [
      'sends a frame six times, then EOT',
      [message(1), signal('ACK'), ...Array.from({ length: 6 }, () => signal('NAK'))],
      `ENQ${' frame 1'.repeat(6)} EOT FAILED`,
      'IDLE',
      null,
    ],
    [
      'keeps a message until the instrument has ended',
      [signal('ENQ'), message(1), frame(1), signal('EOT')],
      'ACK TAKE ACK END EOT ENQ',
      'CALLING',
      15_000,
    ],
    [
      'sends what waits one after the other',
      [message(1), message(2), signal('ACK'), signal('ACK')],
      'ENQ frame 1 EOT SENT ENQ',
      'CALLING',
      15_000,
    ],
    [
      'loses what waits when the connection closes',
      [message(1), message(2), { kind: 'CLOSED' }],
      'ENQ FAILED FAILED',
      'IDLE',
      null,
    ],
  ])('BENCH-02 %s', (_, events, said, mode, timer) => {
    expect(run(events)).toMatchObject({ said, mode, timer })
  })

  it.each<[string, LinkEvent[], string]>([
    ['answers a damaged frame by NAK', [badFrame, frame(1)], 'NAK TAKE ACK'],
    ['answers a number that is not the next by NAK', [frame(2), frame(0), frame(1), frame(3)], 'NAK NAK TAKE ACK NAK'],
    [
      'acknowledges a repeated frame and does not take it again',
      [frame(1), frame(1), frame(2)],
      'TAKE ACK ACK TAKE ACK',
    ],
    [
      'counts from 7 on with 0',
      [1, 2, 3, 4, 5, 6, 7, 0, 1].map((number) => frame(number)),
      Array(9).fill('TAKE ACK').join(' '),
    ],
  ])('BENCH-10 %s', (_, events, said) => {
    expect(run([signal('ENQ'), ...events]).said).toBe(`ACK ${said}`)
  })
})

describe('frames', () => {
  const readAll = (bytes: Buffer) => new FrameReader().push(bytes)
  const bytesOf = (text: string) => Buffer.from(text, 'latin1')

  it('BENCH-02 are sent with at most 240 characters, numbers from 1 to 7 and 0, and ETB before the last', () => {
    const frames = framesOf('x'.repeat(240 * 8 + 1))
    const read = frames.flatMap((bytes) => readAll(bytes)) as Extract<Signal, { kind: 'FRAME' }>[]
    expect(read.map(({ frame: one }) => [one?.number, one?.text.length, one?.isLast])).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 0].map((number) => [number, 240, false]),
      [1, 1, true],
    ])
  })
  it('BENCH-02 have the checksum of their number, text and end in capital digits; small ones are taken too', () => {
    expect(checksumOf('1L|1|N\r\x03')).toBe('04')
    const text = 'R|1|^^^GLU|5.2|mmol/L\r'
    const sent = astmFrame(1, text)
    expect(framesOf(text)[0]?.toString('latin1')).toBe(sent)
    const small = sent.replace(/[0-9A-F]{2}\r\n$/, (sum) => sum.toLowerCase())
    expect(readAll(bytesOf(small))).toEqual([{ kind: 'FRAME', frame: { number: 1, text, isLast: true } }])
  })
  it('BENCH-02 are taken with up to 64,000 characters', () => {
    const of = (length: number) => readAll(bytesOf(astmFrame(1, 'x'.repeat(length))))
    expect(of(64_000)).toMatchObject([{ frame: { number: 1 } }])
    expect(of(64_001)).toEqual([{ kind: 'FRAME', frame: null }])
  })
  it.each([
    ['a wrong checksum', astmFrame(1, 'L|1|N\r').replace(/..\r\n$/, '00\r\n')],
    ['a changed character', astmFrame(1, 'L|1|N\r').replace('N', 'M')],
    ['a number that is none', astmFrame(1, 'L|1|N\r').replace('\x021', '\x029')],
    ['no line end', `${astmFrame(1, 'L|1|N\r').slice(0, -2)}xx`],
  ])('BENCH-10 with %s are damaged', (_, bytes) => {
    expect(readAll(bytesOf(bytes))[0]).toEqual({ kind: 'FRAME', frame: null })
  })
})

/** Everything that a stream of bytes says, cut at these places. */
const messagesOf = (bytes: Buffer, cuts: readonly number[]) => {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  const frames = new FrameReader()
  const messages = new MessageReader()
  const found: string[] = []
  const answers: number[] = []
  let state = idleLink
  for (const [index, end] of [...places, bytes.length].entries())
    for (const event of frames.push(bytes.subarray(places[index - 1] ?? 0, end))) {
      const next = step(state, event)
      state = next.state
      for (const action of next.actions) {
        if (action.do === 'WRITE') answers.push(...action.bytes)
        if (action.do === 'TAKE') found.push(...messages.push(action.text, action.isLast).map(({ text }) => text))
      }
    }
  return { found, answers }
}

describe('records', () => {
  const field = fc.stringMatching(/^[A-Za-z0-9 .<>^&\\-]{0,20}$/)
  const record = fc
    .tuple(fc.constantFrom('P', 'O', 'R', 'C'), fc.array(field, { maxLength: 6 }))
    .map(([type, fields]) => [type, ...fields].join('|'))

  it('BENCH-02 are the same however the text is cut into frames and the frames into packets, with repeated and damaged frames', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (records, lengths, faults, cuts) => {
          const text = ['H|\\^&', ...records, 'L|1|N'].map((one) => `${one}\r`).join('')
          const parts: string[] = []
          for (let at = 0; at < text.length; at += lengths[(parts.length - 1) % lengths.length] ?? 1)
            parts.push(text.slice(at, at + (lengths[parts.length % lengths.length] ?? 1)))
          const stream = parts.map((part, index) => {
            const good = astmFrame(index + 1, part, index === parts.length - 1)
            const damaged = good.replace(/..\r\n$/, (sum) => (sum.startsWith('0') ? 'FF\r\n' : '00\r\n'))
            return faults[index] ? `${damaged}${good}${good}` : good
          })
          const { found } = messagesOf(Buffer.from(`noise\x05${stream.join('')}\x04noise`, 'latin1'), cuts)
          expect(found).toEqual([text])
        },
      ),
    )
  })
  it('BENCH-02 are read with the delimiters of their header', () => {
    const message = parseAstm('H@~^$@@@X\rR@1@^^^GLU@5.2\rL@1\r')
    expect(message.delimiters).toEqual({ field: '@', repeat: '~', component: '^', escape: '$' })
    expect(message.records.map(({ type, fields }) => [type, fields[3] ?? ''])).toEqual([
      ['H', ''],
      ['R', '5.2'],
      ['L', ''],
    ])
  })
  it('BENCH-11 without an L record are an incomplete message, also when another header comes', () => {
    const reader = new MessageReader()
    expect(reader.push('H|\\^&\rP|1\rH|\\^&\r', true)).toEqual([{ text: 'H|\\^&\rP|1\r', isComplete: false }])
    expect(reader.end()).toEqual({ text: 'H|\\^&\r', isComplete: false })
    expect(reader.end()).toBeNull()
  })
  it('BENCH-11 that another process has taken are kept', () => {
    const first = new MessageReader()
    first.push('H|\\^&\rP|1\rR|1|^^^G', false)
    expect(new MessageReader(first.pending).end()?.text).toBe('H|\\^&\rP|1\rR|1|^^^G')
  })
})
