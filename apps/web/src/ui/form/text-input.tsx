import { messages } from '@lis/contract/messages.ts'
import { PasswordField } from '../password-field.tsx'
import { TextField, type TextFieldProps } from '../text-field.tsx'
import type { FieldInputProps } from './field-types.ts'

const asText = (value: unknown) => (value === null || value === undefined ? '' : String(value))

const propsOf = (
  { field, value, onChange, onBlur, error, disabled, inputRef }: FieldInputProps,
  input: React.InputHTMLAttributes<HTMLInputElement> = {},
): TextFieldProps => ({
  name: field.name,
  label: field.shortLabel ?? field.label,
  required: field.isRequired,
  hint: field.hint,
  error,
  disabled,
  value: asText(value),
  onChange: (event) => onChange(event.target.value),
  onBlur,
  ref: inputRef,
  autoComplete: 'off',
  slotProps: { input: { ...input, 'aria-label': field.shortLabel && field.label } },
})

/** A single line of text (kind `text`). */
export const TextInput = (props: FieldInputProps) => <TextField {...propsOf(props)} />

/** An identifier as typed: no autocorrection, leading zeros are kept (kind `input`). */
export const CodeTextInput = (props: FieldInputProps) => (
  <TextField {...propsOf(props, { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false })} />
)

/** Multi-line text. */
export const MultilineInput = (props: FieldInputProps) => (
  <TextField
    {...propsOf(props)}
    multiline
    minRows={3}
    maxRows={12}
    sx={{ '&&': { height: 'auto', padding: '6px 9px', alignItems: 'flex-start' } }}
  />
)

/** A number. Not `type=number`, which drops invalid text without a message and changes with the mouse wheel. */
export const NumberInput = (props: FieldInputProps) => <TextField {...propsOf(props, { inputMode: 'decimal' })} />

/** A phone number: digits and separators. */
export const PhoneInput = (props: FieldInputProps) => (
  <TextField
    {...propsOf(props, { inputMode: 'tel' })}
    type="tel"
    hint={props.field.hint ?? messages.phoneHint}
    onChange={(event) => props.onChange(event.target.value.replace(/[^0-9+()\-. ]/g, ''))}
  />
)

/** A new or current password; never part of a draft. */
export const PasswordInput = (props: FieldInputProps) => (
  <PasswordField
    {...propsOf(props)}
    autoComplete={/current/i.test(props.field.name) ? 'current-password' : 'new-password'}
  />
)
