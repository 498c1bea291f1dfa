import { can } from '@lis/contract/access/permissions.ts'
import { type Issue, type IssueStatus, issueRoutes, issueStatuses } from '@lis/contract/issues.ts'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useSavedChoice } from '../../lib/use-saved-choice.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { WorkLog } from './work-log.tsx'

const Item = styled('li')({
  padding: 12,
  borderBottom: '1px solid var(--line)',
  '&:last-of-type': { borderBottom: 0 },
  '&.closed': { background: 'var(--surface-2)', borderRadius: 'var(--r-md)' },
  '& h3': { fontSize: 13, lineHeight: '20px', fontWeight: 600, color: 'var(--text-strong)' },
  '& .who': { color: 'var(--text-3)' },
  '& .note': { margin: '4px 0 0', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
})
const Head = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 12px',
  alignItems: 'flex-end',
  marginBottom: 4,
})
const Actions = styled('div')({ display: 'flex', alignItems: 'flex-end', gap: 12, marginLeft: 'auto' })

const statusField: FieldDef = {
  name: 'issueStatusCode',
  label: 'Status',
  kind: 'select',
  isRequired: true,
}

export const IssueItem = ({ requisitionId, issue }: { requisitionId: number; issue: Issue }) => {
  const { id, issueDesc, issueNote, issueStatusCode: status, isClosable, version } = issue
  const role = useRole()
  const statuses = useLookup('issueStatus')
  const save = useSave(issueRoutes.setStatus, { isImmediate: true })
  const { saving, choose } = useSavedChoice<IssueStatus>(version, (issueStatusCode, known) =>
    save({ params: { id: requisitionId, issueId: id }, body: { issueStatusCode }, headers: ifMatch(known) }),
  )
  const [isAsking, setAsking] = useState(false)
  const close = () => {
    setAsking(false)
    choose('CLOSED')
  }
  // Closing has its own button, for the department that reported the issue.
  const options = statuses.options.filter(({ value }) => value !== 'CLOSED')
  const isClosed = status === 'CLOSED'
  const mayChange = !isClosed && can(role, 'issues.editStatus')
  return (
    <Item className={isClosed ? 'closed' : undefined}>
      <Head>
        <h3>{issueDesc}</h3>
        <StatusTag status={status} />
        {mayChange && (
          <Actions>
            <div style={{ width: 140 }}>
              <FieldInput
                field={{ ...statusField, options }}
                value={saving ?? status}
                disabled={options.length === 0}
                isBusy={saving !== null}
                onChange={(value) => choose(value as IssueStatus)}
              />
            </div>
            {isClosable === 1 && (
              <ActionButton isBusy={saving === 'CLOSED'} onClick={() => setAsking(true)}>
                Close
              </ActionButton>
            )}
            <ConfirmDialog
              isOpen={isAsking}
              title="Are you sure you want to close this issue?"
              subject={issueDesc}
              confirmLabel="Close issue"
              onConfirm={close}
              onCancel={() => setAsking(false)}
            >
              A closed issue is locked for good: nobody can open it again or add to its work log.
            </ConfirmDialog>
          </Actions>
        )}
      </Head>
      <p className="who">
        From {issue.reporterDeptName} to {issue.resolverDeptName} · {issue.issueUserName ?? 'System'}{' '}
        <Timestamp at={issue.issueCreateDate} />
        {issue.issueCloseDate && (
          <>
            {' '}
            · closed by {issue.issueCloseUserName} <Timestamp at={issue.issueCloseDate} />
          </>
        )}
      </p>
      {issueNote && <p className="note">{issueNote}</p>}
      <WorkLog requisitionId={requisitionId} issue={issue} />
    </Item>
  )
}

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

const StatusTag = ({ status }: { status: IssueStatus }) => (
  <Tag style={{ color: `var(--${tones[status]})`, background: `var(--${tones[status]}-bg)` }}>
    {issueStatuses[status]}
  </Tag>
)
