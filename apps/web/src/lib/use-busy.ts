import { useCallback, useState } from 'react'

type WhileBusy = (work: () => Promise<unknown>, onFailure?: (error: unknown) => void) => Promise<void>

/** `useSave` has shown the error; the screen stays as it is, for another try. */
const ignoreError = () => undefined

/** Whether work started by the user is running, and a function to start it. A failure goes to `onFailure`. */
export const useBusy = (): [isBusy: boolean, whileBusy: WhileBusy] => {
  const [isBusy, setBusy] = useState(false)
  const whileBusy: WhileBusy = useCallback(async (work, onFailure = ignoreError) => {
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
