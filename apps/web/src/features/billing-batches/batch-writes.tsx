import { type BillingBatch, batchCancel, batchLabels, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import type { Refusal } from '@lis/contract/requisitions/moves.ts'
import { useState } from 'react'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { useNotify } from '../../ui/notices.tsx'

/** Asks first: billing cannot be undone. Afterwards lists what was removed from the batch. */
export const SendBatch = ({ batch, onClose }: { batch: BillingBatch | null; onClose: () => void }) => {
  const send = useSave(billingBatchRoutes.send, { isSilent: true })
  const notify = useNotify()
  const [isBusy, whileBusy] = useBusy()
  const [removed, setRemoved] = useState<readonly Refusal[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const close = () => {
    setRemoved([])
    setFailure(null)
    onClose()
  }
  const confirm = async () => {
    if (!batch || removed.length > 0) return close()
    await whileBusy(async () => {
      setFailure(null)
      const { data, message } = await send({ params: { id: batch.id }, body: {} })
      // The call succeeded, because the batch is now Failed; but nothing was billed, and it can be retried from here.
      if (data.sendStatusCode === 'FAILED') return setFailure(message)
      notify.info(message)
      if (data.refused.length === 0) close()
      else setRemoved(data.refused)
    })
  }
  return (
    <ConfirmDialog
      isOpen={batch !== null}
      title={removed.length > 0 ? `Taken out of batch ${batch?.id}` : `Send billing batch ${batch?.id}?`}
      {...(batch && removed.length === 0 && { subject: `${batch.recordCount} requisition(s)` })}
      confirmLabel={removed.length > 0 ? 'Close' : 'Send'}
      isBusy={isBusy}
      onConfirm={confirm}
      onCancel={close}
    >
      {removed.length > 0 ? (
        <ul>
          {removed.map(({ id, reason }) => (
            <li key={id}>{reason}</li>
          ))}
        </ul>
      ) : (
        <>
          Claim files and invoices are written and the requisitions become Billed, for good. What cannot be billed is
          taken out and named. The files are not transmitted from here: download the batch afterwards and hand them on.
          {failure !== null && (
            <div style={{ marginTop: 8 }}>
              <Banner type="error">{failure}</Banner>
            </div>
          )}
        </>
      )}
    </ConfirmDialog>
  )
}

const cancelFields: readonly FieldDef[] = [
  {
    name: 'reason',
    label: batchLabels.cancelReason,
    kind: 'multiline',
    isRequired: true,
    hint: 'Its requisitions become ready to bill again and keep this reason in their history.',
  },
]

/** Cancels a batch that was created in error. */
export const CancelBatch = ({ batch, onClose }: { batch: BillingBatch; onClose: () => void }) => {
  const cancel = useSave(billingBatchRoutes.cancel)
  return (
    <FormDialog
      title={`Cancel billing batch ${batch.id}?`}
      submitLabel="Cancel batch"
      cancelLabel="Keep batch"
      schema={batchCancel}
      fields={cancelFields}
      onSubmit={(body) => cancel({ params: { id: batch.id }, body })}
      onClose={onClose}
    />
  )
}
