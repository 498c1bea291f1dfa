import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { CloseIcon, lineIcon, RetryIcon, WarningIcon } from '../../ui/icons.tsx'
import { KeyHints } from '../../ui/key-help.tsx'
import type { Deciding } from './decide-dialog.tsx'
import { PassedIcon } from './reason-icon.tsx'
import { whyNoneAccepted } from './review-groups.ts'

const Bar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  padding: '4px 16px',
  background: 'var(--p-50)',
  borderTop: '1px solid var(--line-strong)',
  '& .count': { minWidth: 90, fontWeight: 600, color: 'var(--text-strong)' },
  '& .key': {
    marginLeft: 6,
    padding: '0 4px',
    borderRadius: 'var(--r-xs)',
    boxShadow: 'inset 0 0 0 1px currentColor',
    fontFamily: 'inherit',
    fontSize: 10,
    opacity: 0.7,
  },
  [theme.breakpoints.down('sm')]: {
    position: 'sticky',
    bottom: 0,
    zIndex: 2,
    flexWrap: 'wrap',
    padding: '8px 12px',
    '& .key': { display: 'none' },
    '& .count': { flexBasis: '100%' },
    '& span:has(> button), & > button': { flex: '1 1 28%' },
    '& span:has(> button) > button': { width: '100%' },
  },
}))
interface ActionsProps {
  targets: readonly ReviewResult[]
  count: number
  isBusy: boolean
  onDecide: (deciding: Deciding) => void
  /** Null where the result belongs to no requisition, or several are selected. */
  onIssue: (() => void) | null
}

const Key = ({ children }: { children: string }) => (
  <span className="key" aria-hidden="true">
    {children}
  </span>
)

/** What can be done with the selected results, or the current one. */
export const ReviewActions = ({ targets, count, isBusy, onDecide, onIssue }: ActionsProps) => {
  const stop = targets.length === 0 ? 'Choose a result first' : whyNoneAccepted(targets)
  const isNone = targets.length === 0
  const isHeld = targets.every(({ state }) => state === 'HELD')
  return (
    <Bar role="toolbar" aria-label="Decide">
      <span className="count">
        {count > 0 ? `${count} selected` : targets.length > 0 ? 'This result' : 'None chosen'}
      </span>
      <Tooltip title={stop ?? ''}>
        <span>
          <Button
            variant="contained"
            startIcon={<PassedIcon />}
            disabled={isBusy || stop !== undefined}
            onClick={() => onDecide('accept')}
          >
            Accept <Key>A</Key>
          </Button>
        </span>
      </Tooltip>
      <Tooltip title={isHeld ? 'It belongs to no test that could be run again' : ''}>
        <span>
          <Button startIcon={<RetryIcon />} disabled={isBusy || isHeld} onClick={() => onDecide('rerun')}>
            Rerun <Key>R</Key>
          </Button>
        </span>
      </Tooltip>
      <Tooltip title={isHeld ? 'It belongs to no test that could be run again' : ''}>
        <span>
          <Button startIcon={<DropIcon />} disabled={isBusy || isHeld} onClick={() => onDecide('dilute')}>
            Dilute <Key>D</Key>
          </Button>
        </span>
      </Tooltip>
      <Button color="error" startIcon={<CloseIcon />} disabled={isBusy || isNone} onClick={() => onDecide('reject')}>
        Reject <Key>X</Key>
      </Button>
      <Button startIcon={<WarningIcon />} disabled={!onIssue} onClick={() => onIssue?.()}>
        Add issue <Key>I</Key>
      </Button>
      <KeyHints>
        <kbd>J</kbd>
        <kbd>K</kbd> move <kbd>Space</kbd> select <kbd>Z</kbd> undo <kbd>?</kbd> all keys
      </KeyHints>
    </Bar>
  )
}

const DropIcon = lineIcon('M8 2c2.5 3 4 5 4 7a4 4 0 0 1-8 0c0-2 1.5-4 4-7z')
