import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import {
  type ScannedCode,
  type Specimen,
  scannedReceipt,
  specimenForm,
  specimenHints,
  specimenRoutes,
} from '@lis/contract/specimens.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { formatTimestamp } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { receivedAt } from './received-now.ts'
import { specimenFields } from './specimen-fields.ts'

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
          Received, in the time zone of {requisition.labName} ({requisition.labTzAbbr}).
        </p>
      </Card>
    </div>
  )
}

const receivedText = ({ specimenTypeDesc, dateReceived, receivedTz, specCreateByUsername: name }: Specimen) => {
  const { text, zone } = formatTimestamp(dateReceived, receivedTz)
  return `${specimenTypeDesc} was already received on ${text} ${zone}${name === null ? '' : ` by ${name}`}: add it only if this is another tube.`
}

/** Warnings about the receipt as it is typed; it can be saved anyway. */
const SpecimenHints = ({ requisitionId, typed }: { requisitionId: number; typed: Record<string, unknown> }) => {
  const { data } = useQuery(read(specimenRoutes.needed, { params: { id: requisitionId } }))
  const { data: received } = useQuery(readList(specimenRoutes.list, { id: requisitionId }, allRows))
  const same = received?.data.findLast(({ specimenTypeCode }) => specimenTypeCode === typed.specimenTypeCode)
  const hints = [...(same ? [receivedText(same)] : []), ...specimenHints(typed, data?.data ?? [])]
  return hints.length > 0 && <Banner type="warning">{hints.join(' ')} It can be saved anyway.</Banner>
}
