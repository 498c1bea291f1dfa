import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput'
import { useId } from 'react'
import { Field, type FieldProps, messageId } from './field.tsx'

export interface TextFieldProps
  extends Omit<OutlinedInputProps, 'error' | 'label' | 'notched' | 'size'>,
    Pick<FieldProps, 'label' | 'error' | 'hint' | 'required'> {
  /** 36 px high, for screens with a single task. */
  large?: boolean
}

/** A single-line text field. */
export const TextField = ({
  label,
  error,
  hint,
  required,
  large = false,
  ref,
  slotProps,
  ...props
}: TextFieldProps) => {
  const id = useId()
  return (
    <Field id={id} label={label} error={error} hint={hint} required={required} large={large}>
      <OutlinedInput
        {...props}
        id={id}
        inputRef={ref}
        className={large ? 'large' : undefined}
        slotProps={{
          ...slotProps,
          input: { ...slotProps?.input, 'aria-describedby': (error ?? hint) === undefined ? undefined : messageId(id) },
        }}
      />
    </Field>
  )
}
