import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type RequisitionHistory, requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { StageChip } from '../../domain/stage-chip.tsx'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { readList } from '../../ui/table/read-list.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { StatusChoice } from './status-choice.tsx'
import { useCheckedStatus } from './use-checked-status.tsx'

const field: FieldDef = {
  name: 'reqStatusCode',
  label: 'Status',
  kind: 'select',
  lookup: 'reqStatusTypes',
  isRequired: true,
}
const Steps = styled('ol')({
  margin: '12px 0 0',
  padding: 0,
  listStyle: 'none',
  '& li': { display: 'flex', gap: 12, padding: '4px 0', borderTop: '1px solid var(--line)' },
  '& .to': { flex: '1 1 auto' },
  '& .who': { color: 'var(--text-3)' },
  '& li > .who': { textAlign: 'right' },
})

export const StatusCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  const { moving, choose, dialog } = useCheckedStatus(requisition)
  return (
    <Card title="Requisition Status">
      {can(role, 'requisitions.editStatus') ? (
        <StatusChoice>
          <FieldInput
            field={field}
            value={moving ?? requisition.reqStatusCode}
            isBusy={moving !== null}
            onChange={(value) => void choose(value)}
          />
        </StatusChoice>
      ) : (
        <StageChip code={requisition.reqStatusCode} />
      )}
      {dialog}
      {can(role, 'requisitionTabs.activity') && <StatusSteps requisitionId={requisition.id} />}
    </Card>
  )
}

const newStatus = ({ newData }: RequisitionHistory) => newData.find(({ key }) => key === 'Status')?.value

/** The status history, latest first. */
const StatusSteps = ({ requisitionId }: { requisitionId: number }) => {
  const query = useQuery(
    readList(
      requisitionRecordRoutes.history,
      { id: requisitionId },
      { page: 1, perPage: 25, filters: { reqActionCode: 'STATUS' }, sort: null },
    ),
  )
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length > 0 && (
          <Steps aria-label="Status changes">
            {data.map((row) => (
              <li key={row.id}>
                <span className="to">
                  {newStatus(row)}
                  {row.reason && <span className="who"> · {row.reason}</span>}
                </span>
                <span className="who">{row.modifiedByName}</span>
                <Timestamp at={row.modifiedDate} />
              </li>
            ))}
          </Steps>
        )
      }
    </Loaded>
  )
}
