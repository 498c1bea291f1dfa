import { type IssueStatus, issueStatuses } from '@lis/contract/issues.ts'
import { styled } from '@mui/material/styles'

const Tag = styled('span')({
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  lineHeight: '18px',
  fontWeight: 600,
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, currentColor 14%, transparent)',
})
const tones: Record<IssueStatus, string> = { OPEN: 'error', INPROG: 'warning', RESOLVED: 'success', CLOSED: 'info' }

export const StatusTag = ({ status }: { status: IssueStatus }) => (
  <Tag style={{ color: `var(--${tones[status]})`, background: `var(--${tones[status]}-bg)` }}>
    {issueStatuses[status]}
  </Tag>
)
