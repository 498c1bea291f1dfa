import { type Billing, billingRoutes, type PreviousInsurance } from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import Radio from '@mui/material/Radio'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { formatDateInZone } from '../../lib/formats.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'

const Choice = styled('label')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  padding: '4px 8px',
  borderBottom: '1px solid var(--line)',
  cursor: 'pointer',
  '&:hover': { background: 'var(--n-50)' },
  '& .more': { color: 'var(--text-3)' },
})

interface PreviousInsurancesDialogProps {
  billing: Billing
  onClose: () => void
}

/** The insurances of the patient's earlier requisitions; the chosen one is copied to the next free order. */
export const PreviousInsurancesDialog = ({ billing, onClose }: PreviousInsurancesDialogProps) => {
  const id = useId()
  const query = useQuery(readList(billingRoutes.previousInsurances, { id: billing.patientId }, allRows))
  const save = useSave(billingRoutes.usePrevious)
  const [chosen, setChosen] = useState<PreviousInsurance | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const choose = (row: PreviousInsurance) => {
    setChosen(row)
    setError(null)
  }
  const use = async () => {
    if (!chosen) return setError(messages.insuranceMissing)
    const body = { patientId: billing.patientId, useBillId: chosen.billId, useInsuranceId: chosen.insuranceId }
    await whileBusy(
      async () => {
        await save({ params: { id: billing.reqId }, body })
        onClose()
      },
      (error) => {
        setError((error as Error).message)
      },
    )
  }
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} slotProps={{ paper: { sx: { maxWidth: 660 } } }}>
      <DialogTitle id={id}>Previous Insurances</DialogTitle>
      <DialogContent sx={{ minHeight: 160, display: 'flex', flexDirection: 'column', gap: 2 }}>
        {error !== null && <Banner type="error">{error}</Banner>}
        <Loaded query={query}>
          {({ data }) => {
            const others = data.filter(({ reqId }) => reqId !== billing.reqId)
            if (others.length === 0)
              return <EmptyState title="Empty Table">No earlier insurance of this patient.</EmptyState>
            return (
              <div role="radiogroup" aria-labelledby={id}>
                {others.map((row) => (
                  <Choice key={row.id}>
                    <Radio
                      name="previousInsurance"
                      checked={chosen?.id === row.id}
                      onChange={() => choose(row)}
                      slotProps={{ input: { 'aria-label': `${row.insuranceCompany} ${row.policyNo ?? ''}` } }}
                    />
                    <span>
                      <strong>{row.insuranceCompany}</strong> {row.policyNo}
                      <br />
                      <span className="more">
                        {[
                          row.policyHolder,
                          row.groupNo && `Group ${row.groupNo}`,
                          `Requisition #${row.reqId}, ${formatDateInZone(row.dateCollected, row.collectedTz)}`,
                        ]
                          .filter(Boolean)
                          .join(' · ')}
                      </span>
                    </span>
                  </Choice>
                ))}
              </div>
            )
          }}
        </Loaded>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton variant="contained" isBusy={isBusy} onClick={use}>
          Use insurance
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}
