import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  componentOf,
  defaultDelimiters,
  escapeText,
  fieldValue,
  findSegment,
  parseMessage,
  repetitions,
  unescapeText,
} from './message.ts'
import { MessageTooLarge, MllpDecoder, mllpBlock } from './mllp-decoder.ts'
import { parseHl7Time } from './timestamps.ts'

const cut = (bytes: Buffer, at: readonly number[]) => {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
}
const isText = (bytes: Uint8Array) => !bytes.includes(0x0b) && !bytes.includes(0x1c)
const content = fc.uint8Array({ maxLength: 60 }).filter(isText)

describe('MllpDecoder', () => {
  it('IFC-13 finds the same messages however the bytes are cut, and ignores what is between blocks', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(content, content)), fc.array(fc.nat()), (sent, cuts) => {
        const bytes = Buffer.concat(sent.flatMap(([noise, message]) => [noise, mllpBlock(Buffer.from(message))]))
        const decoder = new MllpDecoder()
        const found = cut(bytes, cuts).flatMap((chunk) => decoder.push(chunk))
        expect(found.map((message) => [...message])).toEqual(sent.map(([, message]) => [...message]))
        expect(decoder.isInBlock).toBe(false)
      }),
    )
  })

  it('IFC-13 takes an end byte without the return after it as part of the message', () => {
    const decoder = new MllpDecoder()
    const [message] = decoder.push(Buffer.from([0x0b, 0x41, 0x1c, 0x42, 0x1c, 0x0d]))
    expect([...(message as Buffer)]).toEqual([0x41, 0x1c, 0x42])
  })

  it('IFC-13 refuses more than the largest message, in one chunk or in many', () => {
    const decoder = new MllpDecoder(10)
    decoder.push(Buffer.from('\u000b12345'))
    expect(() => decoder.push(Buffer.from('678901'))).toThrow(MessageTooLarge)
  })
})

const header = (more = '') => `MSH|^~\\&|APP|FAC|LIS|LAB|20261118||ORM^O01|1|P|2.5.1${more}`
const parsed = (text: string | Buffer) =>
  parseMessage(Buffer.from(text as string)) as NonNullable<ReturnType<typeof parseMessage>>

describe('parseMessage', () => {
  it.each(['\r', '\n', '\r\n'])('IFC-13 reads segments that end with %j', (end) => {
    const message = parsed([header(), 'PID|1||7', 'ORC|NW|A', 'ORC|NW|B', ''].join(end))
    expect(message.segments.map(({ name, sequence }) => [name, sequence])).toEqual([
      ['MSH', 1],
      ['PID', 1],
      ['ORC', 1],
      ['ORC', 2],
    ])
    expect(fieldValue(message, findSegment(message, 'MSH'), 9, 2)).toBe('O01')
  })

  it('IFC-13 takes the delimiters from MSH-1 and MSH-2', () => {
    const message = parsed('MSH#@!/%#APP#FAC\rPID#1##7@@@X!8@@@Y##Doe%Old@Jane')
    const pid = findSegment(message, 'PID')
    expect(
      repetitions(message, pid, 3).map((one) => [componentOf(message, one, 1), componentOf(message, one, 4)]),
    ).toEqual([
      ['7', 'X'],
      ['8', 'Y'],
    ])
    expect([fieldValue(message, pid, 5), fieldValue(message, pid, 5, 2)]).toEqual(['Doe', 'Jane'])
  })

  it('IFC-13 reads each character set, and names bytes outside of it', () => {
    const of = (set: string, bytes: Buffer) =>
      parsed(Buffer.concat([Buffer.from(`${header('||||||')}${set}\rPID|1||7||`), bytes]))
    const name = (message: ReturnType<typeof parsed>) => fieldValue(message, findSegment(message, 'PID'), 5)
    const utf8 = Buffer.from('Inés')
    const latin1 = Buffer.from('Inés', 'latin1')
    expect([name(of('', utf8)), name(of('UNICODE UTF-8', utf8)), name(of('8859/1', latin1))]).toEqual([
      'Inés',
      'Inés',
      'Inés',
    ])
    expect([of('', latin1), of('ASCII', utf8), of('ASCII', Buffer.from('Ines'))].map((one) => one.hasBadBytes)).toEqual(
      [true, true, false],
    )
    expect(of('KOI8', utf8).isCharsetUnknown).toBe(true)
    expect(of('', Buffer.from('a\u0000b')).hasBadBytes).toBe(true)
  })

  it.each(['', 'PID|1', 'MSH', 'MSH|', 'MSHA^~\\&|', 'MSH|^^\\&|', 'XMSH|^~\\&|'])('is no message: %j', (text) => {
    expect(parseMessage(Buffer.from(text))).toBeNull()
  })

  it('never fails, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const message = parseMessage(Buffer.concat([Buffer.from('MSH|^~\\&|'), bytes]))
        for (const segment of message?.segments ?? [])
          for (const [index] of segment.fields.entries()) if (message) fieldValue(message, segment, index + 1, 2)
      }),
    )
  })
})

describe('escapes', () => {
  const plain = parsed(header())

  it('IFC-13 decodes the delimiters, hexadecimal bytes and line breaks', () => {
    expect(unescapeText(plain, 'a\\F\\b\\S\\c\\T\\d\\R\\e\\E\\f\\.br\\g\\X41C3A9\\h')).toBe('a|b^c&d~e\\f\ngAéh')
  })

  it('keeps what it does not know, and drops highlighting', () => {
    expect(unescapeText(plain, 'a\\H\\b\\N\\c\\Q9\\d 50\\')).toBe('abc\\Q9\\d 50\\')
  })

  it('IFC-13 gives back every text that was escaped', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('\r')),
        (text) => {
          const escaped = escapeText(text, defaultDelimiters)
          expect(escaped).not.toMatch(/[|^&~\r\n]/)
          expect(unescapeText(plain, escaped)).toBe(text)
        },
      ),
    )
  })
})

describe('parseHl7Time', () => {
  it.each([
    ['20261118', '2026-11-18', null],
    ['2026111808', '2026-11-18', '2026-11-18T08:00:00'],
    ['2026111808-0800', '2026-11-18', '2026-11-18T08:00:00-08:00'],
    ['202611180837', '2026-11-18', '2026-11-18T08:37:00'],
    ['20261118083712.1234-0800', '2026-11-18', '2026-11-18T08:37:12-08:00'],
    ['1979', null, null],
  ])('IFC-13 reads %s', (text, date, dateTime) => {
    expect(parseHl7Time(text)).toEqual({ date, dateTime })
  })

  it.each(['yesterday', '20260231', '20261301', '2026111825', '202611182561', '2026-11-18', '20261118083712+9900'])(
    'IFC-18 refuses %s',
    (text) => {
      expect(parseHl7Time(text)).toBeNull()
    },
  )
})
