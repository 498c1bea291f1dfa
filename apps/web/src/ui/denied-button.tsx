import Button, { type ButtonProps } from '@mui/material/Button'
import Tooltip from '@mui/material/Tooltip'

interface DeniedButtonProps extends ButtonProps {
  /** Shown as a tooltip. */
  reason: string
}

/** A button that is not available now, with the reason. */
export const DeniedButton = ({ reason, ...look }: DeniedButtonProps) => (
  <Tooltip title={reason} describeChild>
    {/* Not `disabled`: keyboard users must be able to reach the reason. */}
    <Button {...look} className="Mui-disabled" aria-disabled="true" disableRipple sx={denied} />
  </Tooltip>
)

const denied = {
  '&.Mui-disabled': { pointerEvents: 'auto', cursor: 'default', '& .MuiButton-startIcon': { color: 'inherit' } },
}
