/** A typed event emitter. */
export const createEmitter = <Events extends object>() => {
  const listeners = new Map<keyof Events, Set<(payload: never) => void>>()
  return {
    on: <Name extends keyof Events>(name: Name, listener: (payload: Events[Name]) => void): (() => void) => {
      const known = listeners.get(name) ?? new Set()
      listeners.set(name, known)
      known.add(listener)
      return () => {
        known.delete(listener)
      }
    },
    emit: <Name extends keyof Events>(name: Name, payload: Events[Name]) => {
      for (const listener of listeners.get(name) ?? []) (listener as (payload: Events[Name]) => void)(payload)
    },
  }
}
export type Emitter<Events extends object> = ReturnType<typeof createEmitter<Events>>
