import { messages } from '@lis/contract/messages.ts'
import { type ReqTest, reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import { type ReactNode, useState } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeleteWarning } from '../../ui/delete-warning.tsx'

/** Modify and retest ask first with these fail codes, and without any (TEST-G3). */
const askedCodes = ['901', '902', '903']
const needsQuestion = ({ testFailCodes }: Pick<ReqTest, 'testFailCodes'>) =>
  testFailCodes.length === 0 || testFailCodes.some(({ failCode }) => askedCodes.includes(failCode))

type Action = 'modify' | 'retest' | 'remove'

const buttons: Record<Action, string> = { modify: 'Modify', retest: 'Retest', remove: 'Delete' }

/** The actions on selected tests, with their confirmation. */
export const useTestActions = (requisitionId: number, subject: string, onDone: () => void) => {
  const [pending, setPending] = useState<{ action: Action; rows: readonly ReqTest[] }>()
  const [isBusy, whileBusy] = useBusy()
  const modify = useSave(reqTestRoutes.modify)
  const retest = useSave(reqTestRoutes.retest)
  const remove = useSave(reqTestRoutes.removeMany, { failure: 'error' })

  const run = async (action: Action, rows: readonly ReqTest[]) => {
    await whileBusy(async () => {
      const params = { id: requisitionId }
      if (action === 'remove') await remove({ params, query: { id: rows.map(({ id }) => id).join(',') } })
      else
        for (const row of rows) await (action === 'modify' ? modify : retest)({ params: { ...params, testId: row.id } })
      onDone()
    })
    setPending(undefined)
  }
  const start = (action: Action, rows: readonly ReqTest[]) => {
    if (action === 'remove' || rows.some(needsQuestion)) setPending({ action, rows })
    else run(action, rows)
  }
  const dialog: ReactNode = pending && (
    <ConfirmDialog
      isOpen
      title={questionOf(pending.action, pending.rows)}
      subject={pending.action === 'remove' ? `${subject}: ${codesOf(pending.rows)}` : subject}
      confirmLabel={buttons[pending.action]}
      isDestructive={pending.action === 'remove'}
      isBusy={isBusy}
      onConfirm={() => run(pending.action, pending.rows)}
      onCancel={() => setPending(undefined)}
    >
      {pending.action === 'remove' ? (
        <DeleteWarning count={pending.rows.length} isFinal />
      ) : (
        'The current result stays in the history.'
      )}
    </ConfirmDialog>
  )
  return { start, isBusy, dialog }
}

const codesOf = (rows: readonly ReqTest[]) => rows.map(({ testCode }) => testCode).join(', ')

const questionOf = (action: Action, rows: readonly ReqTest[]) =>
  action === 'remove'
    ? messages.deleteMany(rows.length, 'test')
    : `Are you sure you want to ${action} ${codesOf(rows)}?`
