import { can } from '@lis/contract/access/permissions.ts'
import { patientMessages } from '@lis/contract/patients.ts'
import { type PatientChange, patientChangeRoutes } from '@lis/contract/requisitions/patient-changes.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { BeforeAfter, identityValue } from '../../domain/before-after.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { PatientNote } from './patient-note.tsx'

/** Changes that partners request for a shared patient, for the laboratory to decide. */
export const PatientChanges = ({ requisitionId }: { requisitionId: number }) => {
  const mayDecide = can(useRole(), 'patients.review')
  const { data } = useQuery({
    ...read(patientChangeRoutes.list, { params: { id: requisitionId } }),
    enabled: mayDecide,
  })
  return data?.data.map((change) => <Request key={change.id} requisitionId={requisitionId} change={change} />)
}

const Request = ({ requisitionId, change }: { requisitionId: number; change: PatientChange }) => {
  const decide = useSave(patientChangeRoutes.decide)
  const [isBusy, setBusy] = useState(false)
  const answer = async (isTaken: 0 | 1) => {
    setBusy(true)
    const params = { id: requisitionId, changeId: change.id }
    // The save has announced the error.
    await decide({ params, body: { isTaken } }).catch(() => undefined)
    setBusy(false)
  }
  return (
    <PatientNote
      label="Requested change"
      actions={
        <>
          <Button variant="outlined" disabled={isBusy} onClick={() => void answer(1)}>
            Take over
          </Button>
          <Button variant="outlined" disabled={isBusy} onClick={() => void answer(0)}>
            Refuse
          </Button>
        </>
      }
    >
      <p>
        {patientMessages.changeToReview} (<bdi>{change.requestedBy}</bdi>, <Timestamp at={change.requestDate} />
        ).
      </p>
      <BeforeAfter
        headers={['Record', 'Requested']}
        rows={change.fields.map(({ field, label, before, after }) => ({
          label,
          before: identityValue(field, before),
          after: identityValue(field, after),
        }))}
      />
    </PatientNote>
  )
}
