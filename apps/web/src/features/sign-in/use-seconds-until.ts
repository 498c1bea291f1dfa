import { useEffect, useState } from 'react'

const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - Date.now()) / 1000))

/** Seconds until a time, counted down to 0. */
export const useSecondsUntil = (time: number): number => {
  const [seconds, setSeconds] = useState(() => secondsUntil(time))
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsUntil(time)), 250)
    return () => clearInterval(timer)
  }, [time])
  return seconds
}
