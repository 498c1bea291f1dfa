import Button from '@mui/material/Button'
import { BrokenIcon, PassedIcon } from './reason-icon.tsx'

/** The open dialog of a page of rules. */
export type RuleDialog<Rule> =
  | { kind: 'add'; rule?: undefined }
  | { kind: 'edit' | 'try' | 'switch' | 'delete'; rule: Rule }

interface RuleActionsProps<Rule> {
  rule: Rule
  /** The rule as text. */
  name: string
  onOpen: (dialog: RuleDialog<Rule>) => void
}

export const RuleActions = <Rule extends { isActive: 0 | 1 }>({ rule, name, onOpen }: RuleActionsProps<Rule>) => {
  const button = (kind: 'edit' | 'try' | 'switch' | 'delete', label: string) => (
    <Button
      size="small"
      variant="text"
      color={kind === 'delete' ? 'error' : 'inherit'}
      aria-label={`${label}: ${name}`}
      onClick={() => onOpen({ kind, rule })}
    >
      {label}
    </Button>
  )
  return (
    <>
      {button('try', 'Try it')}
      {button('switch', rule.isActive === 1 ? 'Switch off' : 'Switch on')}
      {button('edit', 'Edit')}
      {button('delete', 'Delete')}
    </>
  )
}

export const OnOff = ({ isOn }: { isOn: boolean }) => (
  <span
    style={{
      display: 'inline-flex',
      alignItems: 'center',
      gap: 4,
      fontWeight: 600,
      color: isOn ? 'var(--success)' : 'var(--text-3)',
    }}
  >
    {isOn ? <PassedIcon size={12} /> : <BrokenIcon size={12} />}
    {isOn ? 'On' : 'Off'}
  </span>
)
