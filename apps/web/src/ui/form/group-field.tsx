import FormControl from '@mui/material/FormControl'
import FormHelperText from '@mui/material/FormHelperText'
import FormLabel from '@mui/material/FormLabel'
import { type FieldProps, messageId } from '../field.tsx'
import { ErrorIcon } from '../icons.tsx'

export const labelId = (id: string) => `${id}-label`

/** The frame of a control that is not a single input (a group of checkboxes, a listbox), labelled by id. */
export const GroupField = ({ id, label, error, hint, required = false, children }: FieldProps) => (
  <FormControl fullWidth error={error !== undefined} required={required} sx={{ gap: 1 }}>
    <FormLabel component="span" id={labelId(id)}>
      {label}
    </FormLabel>
    {children}
    <FieldMessage id={id} error={error} hint={hint} />
  </FormControl>
)

/** The error or the hint of a field. */
export const FieldMessage = ({ id, error, hint }: Pick<FieldProps, 'id' | 'error' | 'hint'>) =>
  (error ?? hint) !== undefined && (
    <FormHelperText id={messageId(id)} error={error !== undefined} role={error === undefined ? undefined : 'alert'}>
      {error !== undefined && <ErrorIcon size={12} />}
      {error ?? hint}
    </FormHelperText>
  )
