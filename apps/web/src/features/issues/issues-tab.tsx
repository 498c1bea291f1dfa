import { can } from '@lis/contract/access/permissions.ts'
import { issueRoutes } from '@lis/contract/issues.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { AddIssue } from '../../domain/add-issue.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { SideColumns } from '../../ui/side-columns.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { IssueItem } from './issue-item.tsx'

const List = styled('ul')({ margin: -12, padding: 0, listStyle: 'none' })

/** The issues of this requisition, with their departments and work logs. */
export const IssuesTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id } = requisition
  const query = useQuery(read(issueRoutes.list, { params: { id } }))
  const mayAdd = can(useRole(), 'issues.add')
  const form = useInlineForm()
  return (
    <SideColumns className={form.isOpen ? undefined : 'alone'}>
      <Card
        title="Issues"
        actions={
          mayAdd &&
          !form.isOpen && (
            <Button ref={form.ref} startIcon={<PlusIcon />} onClick={form.open}>
              Add Issue
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState title="Empty Table">Nothing has been reported about this requisition.</EmptyState>
            ) : (
              <List>
                {data.map((issue) => (
                  <IssueItem key={issue.id} requisitionId={id} issue={issue} />
                ))}
              </List>
            )
          }
        </Loaded>
      </Card>
      {form.isOpen && <AddIssue requisitionId={id} onClose={form.close} />}
    </SideColumns>
  )
}
