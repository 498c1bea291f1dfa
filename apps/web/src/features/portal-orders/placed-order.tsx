import { can } from '@lis/contract/access/permissions.ts'
import { portalOrderRoutes } from '@lis/contract/portal-orders.ts'
import Button from '@mui/material/Button'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { openFile } from '../../domain/open-file.ts'
import { PrinterIcon } from '../../domain/print-labels.tsx'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'

/** Shown after an order: the paper that goes with the tubes. */
export const PlacedOrder = ({ id, onNext }: { id: number; onNext: () => void }) => {
  const role = useRole()
  const print = useSave(portalOrderRoutes.print, { isSilent: true })
  const [isBusy, whileBusy] = useBusy()
  const heading = useRef<HTMLParagraphElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Card title={`Order #${id}`}>
      <p ref={heading} tabIndex={-1} style={{ outline: 'none', marginBottom: 12 }}>
        The laboratory has the order. Print the requisition, put one label on each tube and send it with them.
      </p>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        <ActionButton
          variant="contained"
          startIcon={<PrinterIcon />}
          isBusy={isBusy}
          onClick={() =>
            whileBusy(async () => {
              const { data } = await print({ params: { id } })
              openFile(data.url)
            })
          }
        >
          Print requisition
        </ActionButton>
        {can(role, 'requisitions.open') && (
          <Button component={Link} to={`/requisitions/${id}/show`}>
            Open #{id}
          </Button>
        )}
        <Button onClick={onNext}>Order again</Button>
      </div>
    </Card>
  )
}
