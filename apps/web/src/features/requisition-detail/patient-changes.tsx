import { can } from '@lis/contract/access/permissions.ts'
import { patientMessages } from '@lis/contract/patients.ts'
import { type PatientChange, patientChangeRoutes } from '@lis/contract/requisitions/patient-changes.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { Timestamp } from '../../ui/table/timestamp.tsx'

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
    <Banner
      type="warning"
      actions={
        <>
          <Button disabled={isBusy} onClick={() => void answer(1)}>
            Take over
          </Button>
          <Button disabled={isBusy} onClick={() => void answer(0)}>
            Refuse
          </Button>
        </>
      }
    >
      {patientMessages.changeToReview} ({change.requestedBy}, <Timestamp at={change.requestDate} />
      ):{' '}
      {change.fields.map(({ field, label, before, after }, at) => (
        <span key={field}>
          {at > 0 && '; '}
          {label}: <bdi>{before ?? '–'}</bdi> → <b>{after ?? '–'}</b>
        </span>
      ))}
    </Banner>
  )
}
