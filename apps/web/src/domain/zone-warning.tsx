import { messages } from '@lis/contract/messages.ts'
import Tooltip from '@mui/material/Tooltip'
import { WarningIcon } from '../ui/icons.tsx'

/** Beside the name of a client without a time zone: times of its requisitions cannot be read without it. */
export const ZoneWarning = () => (
  <Tooltip title={messages.clientTimezoneTooltip}>
    <span
      role="img"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to reach the reason
      tabIndex={0}
      style={{ display: 'inline-flex', flex: 'none', verticalAlign: '-2px', color: 'var(--warning)', borderRadius: 2 }}
    >
      <WarningIcon size={14} />
    </span>
  </Tooltip>
)
