import { can } from '@lis/contract/access/permissions.ts'
import { type Issue, issueLabels, issueRoutes, workLogInput } from '@lis/contract/issues.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const Actions = styled('div')({ display: 'flex', gap: 8, marginTop: 8 })
const Logs = styled('ol')({
  margin: '8px 0 0',
  padding: '0 0 0 12px',
  listStyle: 'none',
  borderLeft: '2px solid var(--line)',
  '& li': { padding: '4px 0', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' },
  '& .who': { display: 'block', color: 'var(--text-3)', fontSize: 11, whiteSpace: 'normal' },
})
const fields: FieldDef[] = [
  { name: 'issueWorkLog', label: issueLabels.issueWorkLog, kind: 'multiline', isRequired: true, isWide: true },
]

/** The work log of an issue, collapsed by default. */
export const WorkLog = ({ requisitionId, issue }: { requisitionId: number; issue: Issue }) => {
  const mayAdd = can(useRole(), 'issues.addWorkLog') && issue.issueStatusCode !== 'CLOSED'
  const [isShown, setShown] = useState(false)
  const form = useInlineForm()
  const params = { id: requisitionId, issueId: issue.id }
  const query = useQuery({ ...read(issueRoutes.workLogs, { params }), enabled: isShown })
  const add = useSave(issueRoutes.addWorkLog)
  return (
    <>
      <Actions>
        <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide Work Log' : 'Show Work Log'}
          {issue.workLogCount > 0 && ` (${issue.workLogCount})`}
        </Button>
        {mayAdd && !form.isOpen && (
          <Button ref={form.ref} onClick={form.open}>
            Add Work Log
          </Button>
        )}
      </Actions>
      {isShown && (
        <Loaded query={query}>
          {({ data }) => (
            <Logs aria-label="Work Log">
              {data.length === 0 && <li className="who">Nothing logged yet.</li>}
              {data.map((log) => (
                <li key={log.id}>
                  {log.issueWorkLog}
                  <span className="who">
                    {log.createdByUserName ?? 'System'} · <Timestamp at={log.workLogDate} />
                  </span>
                </li>
              ))}
            </Logs>
          )}
        </Loaded>
      )}
      {form.isOpen && (
        <div style={{ marginTop: 8 }}>
          <RecordForm
            schema={workLogInput}
            fields={fields}
            columns={1}
            submitLabel="Add Work Log"
            draftKey={`work-log:${issue.id}`}
            onCancel={form.close}
            onSubmit={async (body) => {
              await add({ params, body })
              form.close()
              setShown(true)
            }}
          />
        </div>
      )}
    </>
  )
}
