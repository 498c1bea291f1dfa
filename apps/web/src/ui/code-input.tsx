import { styled } from '@mui/material/styles'
import { type Ref, useId, useState } from 'react'
import { Field, messageId } from './field.tsx'

const length = 6
const places = Array.from({ length }, (_, place) => place)

const Frame = styled('div')({ position: 'relative', height: 48, marginBottom: 2 })
const Boxes = styled('div')({ display: 'grid', gridTemplateColumns: `repeat(${length}, 1fr)`, gap: 8, height: '100%' })
const Box = styled('div')({
  display: 'grid',
  placeItems: 'center',
  border: '1px solid var(--field-line)',
  borderRadius: 'var(--r-sm)',
  background: 'var(--surface)',
  color: 'var(--text)',
  fontSize: 20,
  fontWeight: 600,
  '&.error': { borderColor: 'var(--error)', boxShadow: 'inset 0 0 0 1px var(--error)' },
  '&.active': { borderColor: 'var(--p)', boxShadow: 'var(--focus-ring)' },
})
const Caret = styled('span')({ width: 1, height: 22, background: 'var(--text-strong)' })
// The real input covers the drawn boxes, so paste, autofill and screen readers work as usual.
const Input = styled('input')({
  position: 'absolute',
  inset: 0,
  width: '100%',
  padding: 0,
  border: 0,
  opacity: 0,
  fontSize: 16,
  cursor: 'text',
})

export interface CodeInputProps {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  hint?: string | undefined
  autoFocus?: boolean
  ref?: Ref<HTMLInputElement>
}

/** The six digits of an authentication code. */
export const CodeInput = ({ label, value, onChange, error, hint, autoFocus = false, ref }: CodeInputProps) => {
  const id = useId()
  const [isFocused, setFocused] = useState(false)
  const active = Math.min(value.length, length - 1)
  return (
    <Field id={id} label={label} error={error} hint={hint} large>
      <Frame>
        <Boxes aria-hidden="true">
          {places.map((place) => {
            const isActive = isFocused && place === active
            return (
              <Box key={place} className={isActive ? 'active' : error === undefined ? undefined : 'error'}>
                {value[place] ?? (isActive && <Caret />)}
              </Box>
            )
          })}
        </Boxes>
        <Input
          id={id}
          ref={ref}
          value={value}
          autoFocus={autoFocus}
          autoComplete="one-time-code"
          inputMode="numeric"
          spellCheck={false}
          aria-invalid={error !== undefined}
          aria-describedby={(error ?? hint) === undefined ? undefined : messageId(id)}
          // Pasted codes may contain spaces, dashes or a whole sentence.
          onChange={(event) => onChange(event.target.value.replace(/\D/g, '').slice(0, length))}
          // Keep the caret after the last digit, where it is drawn.
          onSelect={(event) => event.currentTarget.setSelectionRange(value.length, value.length)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        />
      </Frame>
    </Field>
  )
}
