import { setTimeout as wait } from 'node:timers/promises'
import { openProxy, type PlainProxy } from './proxy.ts'

/** A proxy that sends calls only to servers whose `/readyz` was 200 when it looked last, a second ago. It looks at nothing else and repeats nothing. */
export const openReadyProxy = async (): Promise<
  Omit<PlainProxy, 'leadTo'> & { watch: (urls: readonly string[]) => void; ready: () => number }
> => {
  const proxy = await openProxy()
  let ready: readonly string[] = []
  let isClosed = false
  const watch = async (urls: readonly string[]) => {
    for (; !isClosed; await wait(1000)) {
      const are = await Promise.all(urls.map((url) => isReady(url, ready.includes(url))))
      ready = urls.filter((_, n) => are[n])
      proxy.leadTo(ready)
    }
  }
  return {
    ...proxy,
    watch: (urls) => void watch(urls),
    ready: () => ready.length,
    close: async () => {
      isClosed = true
      await proxy.close()
    },
  }
}

/** A late answer is none: on a busy machine it says nothing. */
const isReady = (url: string, before: boolean): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(4000) }).then(
    (reply) => reply.status === 200,
    (error: Error) => before && error.name === 'TimeoutError',
  )
