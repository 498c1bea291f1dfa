import { collaboratorLabels as label } from '@lis/contract/collaborators.ts'
import Button from '@mui/material/Button'
import { useId, useRef } from 'react'
import type { FieldDef, FieldInputProps } from '../../ui/form/field-types.ts'
import { GroupField } from '../../ui/form/group-field.tsx'

export const Logo = ({ src, name }: { src: string; name: string }) => (
  <img src={src} alt={`Logo of ${name}`} style={{ maxWidth: 200, maxHeight: 80, background: '#fff' }} />
)

/** A picture for the head of reports, sent as a data URL. */
export const reportLogoField: FieldDef = {
  name: 'reportLogo',
  label: label.reportLogo,
  kind: 'custom',
  isWide: true,
  hint: 'PNG or JPEG of at most 100 kB, printed in the head of reports.',
  render: (props) => <LogoInput {...props} />,
}

const LogoInput = ({ field, value, onChange, error, disabled, values }: FieldInputProps) => {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const src = typeof value === 'string' ? value : ''
  const read = (file: File | undefined) => {
    if (!file) return
    const reader = new FileReader()
    reader.onload = () => onChange(reader.result)
    reader.readAsDataURL(file)
  }
  return (
    <GroupField id={id} label={field.label} error={error} hint={field.hint}>
      {src !== '' && <Logo src={src} name={String(values?.colaName ?? '')} />}
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg"
        aria-label={`${field.label} file`}
        hidden
        onChange={(event) => {
          read(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      <div style={{ display: 'flex', gap: 8 }}>
        <Button size="small" disabled={disabled} onClick={() => input.current?.click()}>
          {src === '' ? 'Choose a logo' : 'Replace the logo'}
        </Button>
        {src !== '' && (
          <Button size="small" disabled={disabled} onClick={() => onChange('')}>
            Remove the logo
          </Button>
        )}
      </div>
    </GroupField>
  )
}
