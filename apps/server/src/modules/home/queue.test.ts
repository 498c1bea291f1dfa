import type { HomeQueue } from '@lis/contract/home.ts'
import { expect, it } from 'vitest'
import { mostUrgentFirst } from './queue.ts'

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
const aQueue = (code: string, over: Partial<HomeQueue>): HomeQueue => ({
  code,
  title: code,
  count: 0,
  oldestDate: null,
  limitDate: null,
  state: 'OK',
  isMine: 1,
  first: null,
  reqId: null,
  link: '/',
  call: code,
  ...over,
})

it('HOME-01 orders queues by urgency: rows of unknown age come before empty queues', () => {
  const queues = [
    aQueue('empty', {}),
    aQueue('failed', { count: null }),
    aQueue('unknown', { count: 3 }),
    aQueue('calm', { count: 1, oldestDate: hours(-1), limitDate: hours(9) }),
    aQueue('late', { count: 1, oldestDate: hours(-2), limitDate: hours(-1) }),
  ]
  const sorted = queues.sort(mostUrgentFirst).map(({ code }) => code)
  expect(sorted).toEqual(['late', 'calm', 'unknown', 'empty', 'failed'])
})

it('HOME-01 puts open critical calls before every other queue, also before one that is late', () => {
  const late = aQueue('SIGN', { count: 40, oldestDate: hours(-90), limitDate: hours(-86) })
  const call = aQueue('CRITICAL', { count: 1, oldestDate: hours(-0.1), limitDate: hours(0.4) })
  const order = (...queues: HomeQueue[]) => queues.sort(mostUrgentFirst).map(({ code }) => code)
  expect(order(late, call)).toEqual(['CRITICAL', 'SIGN'])
  expect(order(late, { ...call, count: 0 }, aQueue('unknown', { count: 3 }))).toEqual(['SIGN', 'unknown', 'CRITICAL'])
})
