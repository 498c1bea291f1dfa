import { useEffect, useState } from 'react'

interface WidthInputProps {
  label: string
  width: number
  onChange: (width: number) => void
}

const [narrowest, widest] = [40, 800]

/** A width in pixels, applied on Enter and when the field is left; a value out of range becomes the nearest valid one. */
export const WidthInput = ({ label, width, onChange }: WidthInputProps) => {
  const [text, setText] = useState(String(width))
  useEffect(() => setText(String(width)), [width])
  const apply = () => {
    const wanted = Math.round(Number(text))
    const next = Number.isFinite(wanted) && text !== '' ? Math.min(widest, Math.max(narrowest, wanted)) : width
    setText(String(next))
    if (next !== width) onChange(next)
  }
  return (
    <input
      type="number"
      inputMode="numeric"
      aria-label={label}
      min={narrowest}
      max={widest}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply()
      }}
    />
  )
}
