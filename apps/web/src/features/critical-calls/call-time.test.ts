import { expect, it } from 'vitest'
import { calledAtOf, escalations, minutesTaken, timeLeft } from './call-time.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 18, 13, 0) + minute * 60_000)
const call = { raisedAt: at(0).toISOString(), dueAt: at(30).toISOString() }

it.each([
  [0, '30:00', 1, 'calm', false],
  [15, '15:00', 0.5, 'calm', false],
  [15.5, '14:30', 0.4833, 'soon', false],
  [23.2, '06:48', 0.2266, 'urgent', false],
  [30, '00:00', 0, 'urgent', false],
  [31.2, '-01:12', 0, 'urgent', true],
  [120, '-1 h 30', 0, 'urgent', true],
] as const)('BENCH-41 after %d of 30 minutes shows %s', (minute, text, share, tone, isLate) => {
  const left = timeLeft(call, at(minute).getTime())
  expect(left).toEqual({ text, share: expect.closeTo(share, 3), tone, isLate })
})

it('counts the minutes to the end of a call', () => {
  expect(minutesTaken({ ...call, closedAt: at(8.4).toISOString() })).toBe(8)
  expect(minutesTaken({ ...call, closedAt: null })).toBeNull()
})

it('BENCH-41 a call goes to the department at half of its time unless somebody has it, and to management at its end', () => {
  const [half, end] = [at(15).toISOString(), at(30).toISOString()]
  expect(escalations({ ...call, state: 'OPEN' })).toEqual([
    { level: 1, at: half },
    { level: 2, at: end },
  ])
  expect(escalations({ ...call, state: 'TAKEN' })).toEqual([{ level: 2, at: end }])
})

it.each([
  ['', null],
  ['08:43', '2026-11-18T15:43:00.000Z'],
  ['08:49', '2026-11-18T15:49:00.000Z'],
  ['23:55', '2026-11-18T06:55:00.000Z'],
  ['soon', 'soon'],
])('BENCH-42 a call noted at 08:45 with the time %j was made at %s', (time, made) => {
  expect(calledAtOf(time, 'America/Phoenix', Date.parse('2026-11-18T15:45:00Z'))).toBe(made)
})
