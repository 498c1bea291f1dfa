import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type ScannedCode, scannedReceipt, specimenForm, specimenRoutes } from '@lis/contract/specimens.ts'
import { useEffect, useRef, useState } from 'react'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { receivedAt } from './received-now.ts'
import { specimenFields } from './specimen-fields.ts'
import { SpecimenHints } from './specimen-hints.tsx'

interface AddSpecimenFormProps {
  requisition: RequisitionDetail
  /** The barcode that opened it; its values are filled in. */
  scanned: ScannedCode | null
  onClose: () => void
}

/** The side form for a received specimen. */
export const AddSpecimenForm = ({ requisition, scanned, onClose }: AddSpecimenFormProps) => {
  const create = useSave(specimenRoutes.create)
  const frame = useRef<HTMLDivElement>(null)
  const [values] = useState(() => ({
    tubeCount: 1,
    ...receivedAt(new Date(), requisition.labTz),
    ...(scanned && scannedReceipt(scanned)),
  }))
  useEffect(() => {
    // Focus the first field that the barcode did not fill in.
    frame.current?.querySelectorAll<HTMLElement>('[role="combobox"]')[scanned?.suffix ? 1 : 0]?.focus()
  }, [scanned])
  return (
    <div ref={frame}>
      <Card title="Add Specimen">
        <RecordForm
          schema={specimenForm}
          fields={specimenFields}
          values={values}
          notice={(typed) => <SpecimenHints requisitionId={requisition.id} typed={typed} />}
          submitLabel="Add Specimen"
          onCancel={onClose}
          onSubmit={async (body) => {
            await create({ params: { id: requisition.id }, body })
            onClose()
          }}
        />
        <p className="zone" style={{ margin: '8px 0 0' }}>
          Received in the time of {requisition.labName} ({requisition.labTzAbbr}).
        </p>
      </Card>
    </div>
  )
}
