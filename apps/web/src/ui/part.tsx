import { type ComponentType, type ReactNode, startTransition, useLayoutEffect, useState } from 'react'
import { ErrorState, LoadingState } from './states.tsx'

// A browser does not ask again for a file that has failed, as long as the page stands.
const failure = (
  <ErrorState title="This part could not be loaded" onRetry={() => window.location.reload()}>
    Retry loads the whole page again. What you have saved is safe.
  </ErrorState>
)

/**
 * A part of a page that comes in a file of its own. When the file does not come, the part says so in its place; the page around it, and
 * what is typed there, stays. Not `lazy`: its failure takes the whole page away, and its fallback stays for a third of a second even if
 * the file is there sooner.
 */
export const partOf = <Props extends object>(
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
        // Drawn in short steps: a whole tab in one would hold up a click.
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
  /** `fetch` asks for the file before the part is drawn. */
  return Object.assign(Part, { fetch })
}
