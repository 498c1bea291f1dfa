import IconButton from '@mui/material/IconButton'
import type { Icon } from '../../ui/icons.tsx'

/** An action on one row, at its end. */
export const RowButton = ({ label, Glyph, onClick }: { label: string; Glyph: Icon; onClick: () => void }) => (
  <span style={{ display: 'flex', justifyContent: 'center' }}>
    <IconButton aria-label={label} onClick={onClick}>
      <Glyph size={14} />
    </IconButton>
  </span>
)
