import type { CriticalCall } from '@lis/contract/critical-calls.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { DateTime } from 'luxon'
import { useEffect, useState } from 'react'

/** The time, every second. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

export interface TimeLeft {
  /** '06:48', or '-01:12' once it is late. */
  text: string
  /** The remaining share of the time, from 1 to 0. */
  share: number
  tone: 'calm' | 'soon' | 'urgent'
  isLate: boolean
}

const minuteMs = 60_000
const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Amber under half of the time, red under a quarter. */
export const timeLeft = ({ raisedAt, dueAt }: Pick<CriticalCall, 'raisedAt' | 'dueAt'>, now: number): TimeLeft => {
  const [raised, due] = [Date.parse(raisedAt), Date.parse(dueAt)]
  const left = due - now
  const share = Math.min(1, Math.max(0, left / (due - raised)))
  const rest = Math.abs(left)
  const hours = Math.floor(rest / (60 * minuteMs))
  const minutes = Math.floor(rest / minuteMs)
  const seconds = Math.floor((rest % minuteMs) / 1000)
  const clock = hours > 0 ? `${hours} h ${twoDigits(minutes % 60)}` : `${twoDigits(minutes)}:${twoDigits(seconds)}`
  const isLate = left < 0
  return { text: `${isLate ? '-' : ''}${clock}`, share, tone: toneOf(share), isLate }
}

const toneOf = (share: number) => (share < 0.25 ? 'urgent' : share < 0.5 ? 'soon' : 'calm')

/** When a call is escalated automatically: after half of its time if nobody has taken it, and at its end. */
export const escalations = ({ raisedAt, dueAt, state }: Pick<CriticalCall, 'raisedAt' | 'dueAt' | 'state'>) => {
  const [raised, due] = [Date.parse(raisedAt), Date.parse(dueAt)]
  const late = { level: 2, at: dueAt }
  return state === 'OPEN' ? [{ level: 1, at: new Date(raised + (due - raised) / 2).toISOString() }, late] : [late]
}

/** Whole minutes from the result to the end of the call. */
export const minutesTaken = ({ raisedAt, closedAt }: Pick<CriticalCall, 'raisedAt' | 'closedAt'>): number | null =>
  closedAt === null ? null : Math.max(0, Math.round((Date.parse(closedAt) - Date.parse(raisedAt)) / minuteMs))

export const isOpenCall = ({ state }: Pick<CriticalCall, 'state'>) => state === 'OPEN' || state === 'TAKEN'
export const isReadBack = ({ attempts }: Pick<CriticalCall, 'attempts'>) =>
  attempts.some(({ readBackOk }) => readBackOk === 1)

/** Clocks differ by so much. */
const toleranceMs = 5 * minuteMs

/** When somebody was called: the last time that the clock showed this. Null, which is now, for none; what is no time stays as it is. */
export const calledAtOf = (time: string, zone: string, now: number): string | null => {
  if (time.trim() === '') return null
  const today = DateTime.fromISO(`${dayAt(now, zone)}T${time}`, { zone })
  const at = today.toMillis() > now + toleranceMs ? today.minus({ days: 1 }) : today
  return at.toUTC().toISO() ?? time
}
