import { useEffect, useState } from 'react'

const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - Date.now()) / 1000))

/** Whole seconds until a moment, counted down to nought. */
export const useSecondsUntil = (time: number): number => {
  const [seconds, setSeconds] = useState(() => secondsUntil(time))
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsUntil(time)), 250)
    return () => clearInterval(timer)
  }, [time])
  return seconds
}
