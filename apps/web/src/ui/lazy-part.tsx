import { type ComponentType, type ReactNode, startTransition, useLayoutEffect, useState } from 'react'
import { ErrorState, LoadingState } from './states.tsx'

// A browser does not request a failed module again until the page is reloaded.
const failure = (
  <ErrorState title="This part could not be loaded" onRetry={() => window.location.reload()}>
    Retry loads the whole page again. What you have saved is safe.
  </ErrorState>
)

/**
 * A part of a page in its own chunk. If the chunk cannot be loaded, the error is shown in place of the part and the rest of the page
 * stays. Not `lazy`: its error replaces the whole page, and its fallback stays for 300 ms even if the chunk arrives sooner.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  {
    waiting = <LoadingState label="Data loading" />,
    failed = failure,
  }: { waiting?: ReactNode; failed?: ReactNode } = {},
) => {
  let loaded: ComponentType<Props> | undefined
  const fetch = async () => {
    loaded ??= await load()
    return loaded
  }
  const Part = (props: Props) => {
    const [Loaded, setLoaded] = useState(() => loaded)
    const [hasFailed, setFailed] = useState(false)
    useLayoutEffect(() => {
      if (Loaded) return
      fetch().then(
        // Rendered as a transition: a whole tab in one step would block clicks.
        (part) => startTransition(() => setLoaded(() => part)),
        (error: unknown) => {
          console.error(error)
          setFailed(true)
        },
      )
    }, [Loaded])
    if (Loaded) return <Loaded {...props} />
    return hasFailed ? failed : waiting
  }
  /** `fetch` loads the chunk before the part is rendered. */
  return Object.assign(Part, { fetch })
}
