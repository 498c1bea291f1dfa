import { issueInput, issueRoutes, issueLabels as label } from '@lis/contract/issues.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'

const fields: FieldDef[] = [
  { name: 'reporterDeptId', label: label.reporterDeptId, kind: 'select', lookup: 'depts', isRequired: true },
  { name: 'resolverDeptId', label: label.resolverDeptId, kind: 'select', lookup: 'depts', isRequired: true },
  { name: 'issueDesc', label: label.issueDesc, kind: 'multiline', isRequired: true, isWide: true },
  { name: 'issueNote', label: label.issueNote, kind: 'multiline', isWide: true },
]
const typeField: FieldDef = { name: 'issueCode', label: label.issueCode, kind: 'select', lookup: 'issueTypes' }

/** The type comes first and fills the rest, which can still be changed (ISSUE-G5). */
export const AddIssue = ({ requisitionId, onClose }: { requisitionId: number; onClose: () => void }) => {
  const [issueCode, setCode] = useState('')
  const types = useQuery(read(lookupRoutes.issueTypes, { query: {} })).data?.data
  const type = types?.find((row) => row.issueCode === issueCode)
  const create = useSave(issueRoutes.create)
  return (
    <Card title="Add Issue">
      <FieldInput field={typeField} value={issueCode} onChange={(value) => setCode(String(value))} />
      <div style={{ height: 12 }} />
      <RecordForm
        key={issueCode}
        schema={issueInput.omit({ issueCode: true })}
        fields={fields}
        columns={1}
        values={{
          reporterDeptId: type?.reporterDeptId ?? '',
          resolverDeptId: type?.resolverDeptId ?? '',
          issueDesc: type?.issueDesc ?? '',
        }}
        submitLabel="Add Issue"
        onCancel={onClose}
        onSubmit={async (body) => {
          await create({ params: { id: requisitionId }, body: { ...body, issueCode: issueCode || null } })
          onClose()
        }}
      />
    </Card>
  )
}
