import { useCallback, useState } from 'react'

type WhileBusy = (work: () => Promise<unknown>, onFailure?: (error: unknown) => void) => Promise<void>

/** `useSave` has said why; what is on the screen stays as it is, for another try. */
const announced = () => undefined

/** Whether work that a person started is under way, and the way to start it. It always comes to an end: a failure goes to `onFailure`. */
export const useBusy = (): [isBusy: boolean, whileBusy: WhileBusy] => {
  const [isBusy, setBusy] = useState(false)
  const whileBusy: WhileBusy = useCallback(async (work, onFailure = announced) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      onFailure(error)
    } finally {
      setBusy(false)
    }
  }, [])
  return [isBusy, whileBusy]
}
