import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { WarningIcon } from '../../ui/icons.tsx'

const Frame = styled('section')({
  display: 'grid',
  gridTemplateColumns: 'auto minmax(0, 1fr)',
  gap: '0 8px',
  marginBottom: 12,
  padding: '8px 12px',
  borderRadius: 'var(--r-sm)',
  border: '1px solid var(--warning-line)',
  background: 'var(--warning-bg)',
  '& > svg': { color: 'var(--warning)', marginTop: 1 },
  '& p': { margin: 0 },
  // The rows are marked by the frame already.
  '& table': { background: 'var(--surface)' },
  '& .actions': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8 },
})

interface PatientNoteProps {
  /** Its name for screen readers. */
  label: string
  children: ReactNode
  actions?: ReactNode
}

/** A notice about the patient's identity, above the card's content. */
export const PatientNote = ({ label, children, actions }: PatientNoteProps) => (
  <Frame aria-label={label}>
    <WarningIcon />
    <div>
      {children}
      {actions && <div className="actions">{actions}</div>}
    </div>
  </Frame>
)
