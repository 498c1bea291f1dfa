import { useSearchParams } from 'react-router'

type Change = Readonly<Record<string, string | undefined>>

/** The parameters of the address, and a function that changes some of them; an empty value removes its parameter. */
export const useAddressParams = () => {
  const [params, setParams] = useSearchParams()
  const change = (wanted: Change) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(wanted))
          if (value) next.set(name, value)
          else next.delete(name)
        return next
      },
      { replace: true },
    )
  return [params, change] as const
}
