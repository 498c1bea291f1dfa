import { deliveryRoutes } from '@lis/contract/deliveries.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useId } from 'react'
import { DeliveryReceivers, useDeliveryPlan } from '../../domain/delivery-receivers.tsx'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'

interface DeliverReleasedDialogProps {
  requisition: RequisitionDetail
  onClose: () => void
}

/** Shows what will be sent and to whom. */
export const DeliverReleasedDialog = ({ requisition, onClose }: DeliverReleasedDialogProps) => {
  const titleId = useId()
  const { data } = useDeliveryPlan(requisition.id)
  const deliver = useSave(deliveryRoutes.deliverAll)
  const [isBusy, whileBusy] = useBusy()
  const run = () =>
    whileBusy(async () => {
      await deliver({ params: { id: requisition.id }, body: {} })
      onClose()
    })
  const { reports = [], refusal = null } = data?.data ?? {}
  const names = reports.map(
    ({ reportOriginalFileName: name, versionNo }) => `${name}${versionNo > 1 ? `, version ${versionNo}` : ''}`,
  )
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} slotProps={{ paper: { sx: { maxWidth: 520 } } }}>
      <DialogTitle id={titleId}>Deliver released reports?</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <p>{requisitionTitle(requisition)}</p>
        {names.length > 0 && <p style={{ overflowWrap: 'anywhere' }}>{names.join(', ')}</p>}
        <DeliveryReceivers requisitionId={requisition.id} />
        {refusal && <Banner type="warning">{refusal}</Banner>}
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          Cancel
        </Button>
        <ActionButton variant="contained" isBusy={isBusy} disabled={!data || refusal !== null} onClick={run}>
          Deliver
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}
