import { useEffect } from 'react'
import { useSearchParams } from 'react-router'

/** Removes an invalid parameter from the address, so that the address matches what is shown. */
export const useRemoveInvalidParam = (name: string, isValid: boolean) => {
  const [params, setParams] = useSearchParams()
  const isWrong = params.has(name) && !isValid
  useEffect(() => {
    if (!isWrong) return
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete(name)
        return next
      },
      { replace: true },
    )
  }, [isWrong, name, setParams])
}
