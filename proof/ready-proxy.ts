import { openProxy, type PlainProxy } from './proxy.ts'

/** A proxy that sends calls only to servers whose `/readyz` was 200 a second ago. It looks at nothing else and repeats nothing. */
export const openReadyProxy = async (): Promise<
  Omit<PlainProxy, 'leadTo'> & { watch: (urls: readonly string[]) => void }
> => {
  const proxy = await openProxy()
  let timer: NodeJS.Timeout | undefined
  const look = async (urls: readonly string[]) => {
    const ready = await Promise.all(urls.map(isReady))
    proxy.leadTo(urls.filter((_, n) => ready[n]))
  }
  return {
    ...proxy,
    watch: (urls) => {
      timer = setInterval(() => void look(urls), 1000)
    },
    close: async () => {
      clearInterval(timer)
      await proxy.close()
    },
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(900) }).then(
    (reply) => reply.status === 200,
    () => false,
  )
