import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { conditionsBetween, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useSetStatus } from '../../domain/use-set-status.ts'
import { read } from '../../lib/query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

interface Asked {
  to: StatusCode
  missing: readonly string[]
}

/**
 * Sets the status at once, as the select does. Practices rely on what is Released or Delivered: if conditions of the moves up to there are
 * not met, the user is shown them first.
 */
export const useCheckedStatus = (requisition: RequisitionDetail) => {
  const client = useQueryClient()
  const { moving, setStatus } = useSetStatus(requisition)
  const [asked, setAsked] = useState<Asked | null>(null)
  const findMissing = async (to: StatusCode): Promise<string[]> => {
    const needed: readonly string[] = conditionsBetween(requisition.reqStatusCode as StatusCode, to)
    if (needed.length === 0) return []
    try {
      const options = read(requisitionRecordRoutes.checklist, { params: { id: requisition.id } })
      const { data } = await client.fetchQuery({ ...options, staleTime: 0 })
      return data.filter(({ code, isDone }) => isDone === 0 && needed.includes(code)).map(({ title }) => title)
    } catch {
      return ['What is missing could not be read']
    }
  }
  const choose = async (value: unknown) => {
    const to = statusOf(value as StatusCode).code
    const missing = to === 'RELEASE' || to === 'DELIVER' ? await findMissing(to) : []
    if (missing.length > 0) setAsked({ to, missing })
    else setStatus(to)
  }
  const name = asked && statusOf(asked.to).description
  const dialog = asked && (
    <ConfirmDialog
      isOpen
      title={`Set to ${name} all the same?`}
      subject={requisitionTitle(requisition)}
      cancelLabel="Leave the status"
      confirmLabel={`Set to ${name}`}
      isDestructive
      onCancel={() => setAsked(null)}
      onConfirm={() => {
        setStatus(asked.to)
        setAsked(null)
      }}
    >
      <ul style={{ margin: '4px 0', paddingLeft: 18 }}>
        {asked.missing.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
      <p>Nothing is sent by this. The status history keeps what was missing.</p>
    </ConfirmDialog>
  )
  return { moving, choose, dialog }
}
