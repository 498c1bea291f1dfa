import { issueInput, issueRoutes, issueLabels as label } from '@lis/contract/issues.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../lib/query.ts'
import { useSave } from '../lib/use-save.ts'
import { Card } from '../ui/card.tsx'
import type { FieldDef, Values } from '../ui/form/field-types.ts'
import { RecordForm } from '../ui/form/record-form.tsx'

const fields: FieldDef[] = [
  { name: 'issueCode', label: label.issueCode, kind: 'select', lookup: 'issueTypes', isWide: true },
  { name: 'reporterDeptId', label: label.reporterDeptId, kind: 'select', lookup: 'depts', isRequired: true },
  { name: 'resolverDeptId', label: label.resolverDeptId, kind: 'select', lookup: 'depts', isRequired: true },
  { name: 'issueDesc', label: label.issueDesc, kind: 'multiline', isRequired: true, isWide: true },
  { name: 'issueNote', label: label.issueNote, kind: 'multiline', isWide: true },
]

/** The type comes first and fills in departments and description, which can be changed (ISSUE-G5). */
export const AddIssue = ({ requisitionId, onClose }: { requisitionId: number; onClose: () => void }) => {
  const types = useQuery(read(lookupRoutes.issueTypes, { query: {} })).data?.data
  const create = useSave(issueRoutes.create)
  const fills = (name: string, value: unknown, { issueDesc }: Values) => {
    const type = name === 'issueCode' ? types?.find((row) => row.issueCode === value) : undefined
    if (!type) return undefined
    // A description typed by the user stays; one filled in by another type does not.
    const isOwn = Boolean(issueDesc) && !types?.some((row) => row.issueDesc === issueDesc)
    const { reporterDeptId, resolverDeptId } = type
    return { reporterDeptId, resolverDeptId, ...(!isOwn && { issueDesc: type.issueDesc }) }
  }
  return (
    <Card title="Add Issue">
      <RecordForm
        schema={issueInput}
        fields={fields}
        columns={1}
        fills={fills}
        submitLabel="Add Issue"
        draftKey={`issue:${requisitionId}`}
        onCancel={onClose}
        onSubmit={async (body) => {
          await create({ params: { id: requisitionId }, body })
          onClose()
        }}
      />
    </Card>
  )
}
