import { type ComponentType, lazy, useState } from 'react'

/**
 * A part that comes in a chunk of its own. Once the chunk is there it is drawn at once: `lazy` alone would still show its fallback for
 * a moment, and React then holds the page back for a third of a second so that fallbacks do not flicker.
 */
export const loadable = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  let loaded: ComponentType<Props> | undefined
  const keep = async () => {
    loaded = await load()
    return { default: loaded }
  }
  const Later = lazy(keep)
  const Part = (props: Props) => {
    // Chosen once: a change of the component would throw away what is typed in it.
    const [Chosen] = useState<ComponentType<Props>>(() => loaded ?? (Later as unknown as ComponentType<Props>))
    return <Chosen {...props} />
  }
  return { Part, fetch: keep }
}
