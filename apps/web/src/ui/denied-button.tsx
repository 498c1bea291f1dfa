import Button, { type ButtonProps } from '@mui/material/Button'
import Tooltip from '@mui/material/Tooltip'

interface DeniedButtonProps extends ButtonProps {
  /** Why it cannot be pressed, for whoever points at it. */
  reason: string
}

/** A button that cannot be pressed now, and says why. */
export const DeniedButton = ({ reason, ...look }: DeniedButtonProps) => (
  <Tooltip title={reason} describeChild>
    {/* Not `disabled`: a keyboard must be able to reach the reason. */}
    <Button {...look} className="Mui-disabled" aria-disabled="true" disableRipple sx={denied} />
  </Tooltip>
)

const denied = {
  '&.Mui-disabled': { pointerEvents: 'auto', cursor: 'default', '& .MuiButton-startIcon': { color: 'inherit' } },
}
