import IconButton from '@mui/material/IconButton'
import { useState } from 'react'
import { EyeIcon, EyeOffIcon } from './icons.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** A password field with a button to show the password. */
export const PasswordField = (props: TextFieldProps) => {
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      endAdornment={
        <IconButton
          aria-label={isShown ? 'Hide password' : 'Show password'}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          sx={{ mr: { xs: -3.5, sm: -1.5 }, color: 'var(--text-3)' }}
        >
          {isShown ? <EyeOffIcon /> : <EyeIcon />}
        </IconButton>
      }
    />
  )
}
