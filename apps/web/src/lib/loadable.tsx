import { type ComponentType, lazy, useState } from 'react'

/**
 * A component in its own chunk. Once loaded it renders at once: `lazy` alone would still show its fallback briefly, and React then
 * delays the page by 300 ms to avoid flicker.
 */
export const loadable = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  let loaded: ComponentType<Props> | undefined
  const keep = async () => {
    loaded = await load()
    return { default: loaded }
  }
  const Later = lazy(keep)
  const Part = (props: Props) => {
    // Chosen once: changing the component would discard its state.
    const [Chosen] = useState<ComponentType<Props>>(() => loaded ?? (Later as unknown as ComponentType<Props>))
    return <Chosen {...props} />
  }
  return { Part, fetch: keep }
}
