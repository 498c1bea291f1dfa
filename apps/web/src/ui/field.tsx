import FormControl from '@mui/material/FormControl'
import FormHelperText from '@mui/material/FormHelperText'
import FormLabel from '@mui/material/FormLabel'
import type { ReactNode } from 'react'
import { ErrorIcon } from './icons.tsx'

export interface FieldProps {
  id: string
  label: string
  /** Shown under the field until it is corrected. */
  error?: string | undefined
  hint?: string | undefined
  required?: boolean | undefined
  /** More spacing, for screens with a single task. */
  large?: boolean
  children: ReactNode
}

export const messageId = (id: string) => `${id}-message`

/** The frame of every input: label above, control, message below. */
export const Field = ({ id, label, error, hint, required = false, large = false, children }: FieldProps) => (
  <FormControl fullWidth error={error !== undefined} required={required} sx={{ gap: large ? 1.5 : 1 }}>
    <FormLabel htmlFor={id}>{label}</FormLabel>
    {children}
    {(error ?? hint) !== undefined && (
      <FormHelperText id={messageId(id)} role={error === undefined ? undefined : 'alert'}>
        {error !== undefined && <ErrorIcon size={12} />}
        {error ?? hint}
      </FormHelperText>
    )}
  </FormControl>
)
