import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serverEvents } from './event-stream.ts'

const pauseMs = 500

/** Reads these routes again when the server reports a change of the topic. Define the routes outside the component. */
export const useLive = (topic: string, routes: readonly { path: string }[]) => {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = serverEvents.on(topic, () => {
      timer ??= setTimeout(() => {
        timer = undefined
        for (const { path } of routes) void client.invalidateQueries({ queryKey: [path] })
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, topic, routes])
}
