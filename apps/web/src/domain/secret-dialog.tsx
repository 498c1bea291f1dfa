import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useId, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { Banner } from '../ui/form/banner.tsx'

const Values = styled('dl')({
  display: 'grid',
  gridTemplateColumns: 'auto minmax(0, 1fr)',
  alignItems: 'center',
  gap: '8px 12px',
  margin: '12px 0 0',
  '& dt': { color: 'var(--text-3)' },
  '& dd': { display: 'flex', alignItems: 'center', gap: 12, margin: 0, minWidth: 0 },
  '& code': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere', fontFamily: 'var(--font-mono)' },
})

interface SecretDialogProps {
  title: string
  /** The data that the other system needs, including the secret. */
  values: readonly (readonly [label: string, value: string])[]
  /** How the other system uses it. */
  hint: string
  onClose: () => void
}

/** Shows a new secret, once: nobody can read it again. Only its button closes it. */
export const SecretDialog = ({ title, values, hint, onClose }: SecretDialogProps) => {
  const id = useId()
  const [copied, setCopied] = useState('')
  const copy = async (label: string, value: string) => {
    await navigator.clipboard.writeText(value)
    setCopied(label)
  }
  return (
    <Dialog open aria-labelledby={`${id}-title`} slotProps={{ paper: { sx: { maxWidth: 560 } } }}>
      <DialogTitle id={`${id}-title`}>{title}</DialogTitle>
      <DialogContent>
        <Banner type="warning">The secret is shown only now. Copy it before you close this.</Banner>
        <Values>
          {values.map(([label, value]) => [
            <dt key={`${label}-name`}>{label}</dt>,
            <dd key={label}>
              <code>{value}</code>
              {/* Browsers have no clipboard without TLS. */}
              {navigator.clipboard && (
                <Button aria-label={`Copy ${label}`} onClick={() => copy(label, value)}>
                  {copied === label ? 'Copied' : 'Copy'}
                </Button>
              )}
            </dd>,
          ])}
        </Values>
        <p style={{ marginTop: 12, color: 'var(--text-2)' }}>{hint}</p>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
