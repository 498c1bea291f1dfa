import { useEffect } from 'react'
import { useSearchParams } from 'react-router'

/** Takes a parameter that names nothing here out of the address, so that the address says what is shown. */
export const useRightParam = (name: string, isRight: boolean) => {
  const [params, setParams] = useSearchParams()
  const isWrong = params.has(name) && !isRight
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
