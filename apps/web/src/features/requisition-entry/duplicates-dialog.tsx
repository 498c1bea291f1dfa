import { patientMessages } from '@lis/contract/patients.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { patientDetails } from '../../domain/suggested-patients.tsx'
import { formatLongDate } from '../../lib/formats.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { DuplicatesQuestion } from './use-create-requisition.ts'

const DuplicatePatient = styled('p')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  padding: '6px 0',
  borderBottom: '1px solid var(--line)',
  '&:last-of-type': { borderBottom: 0 },
  '& > span': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  '& small': { display: 'block', fontSize: 11, lineHeight: '15px', color: 'var(--text-3)' },
  '& button': { flex: 'none' },
})

/** Asks whether the patient is one of these, before a duplicate record is created. */
export const DuplicatesDialog = ({ question }: { question: DuplicatesQuestion | null }) => {
  const id = useId()
  if (!question) return null
  const { patients, answer } = question
  return (
    <Dialog open onClose={() => answer(null)} aria-labelledby={id} slotProps={{ paper: { sx: { maxWidth: 460 } } }}>
      <DialogTitle id={id}>{patientMessages.duplicate}</DialogTitle>
      <DialogContent>
        {patients.map((patient) => (
          <DuplicatePatient key={patient.id}>
            <span>
              <b>
                <bdi>{patient.patientLastName}</bdi>,{' '}
                <bdi>{[patient.patientFirstName, patient.patientMiddleName].filter(Boolean).join(' ')}</bdi>
              </b>{' '}
              {formatLongDate(patient.patientDob)}
              <small>
                {[patientDetails(patient), patient.patientSsn && `SSN ${patient.patientSsn}`]
                  .filter(Boolean)
                  .join(' · ')}
              </small>
            </span>
            <Button onClick={() => answer(patient)}>Use this patient</Button>
          </DuplicatePatient>
        ))}
      </DialogContent>
      <DialogActions>
        {/* A duplicate patient record is harmful: the safe choice has the focus and is the filled button. */}
        <Button variant="outlined" onClick={() => answer('new')}>
          Create new patient
        </Button>
        <Button autoFocus variant="contained" onClick={() => answer(null)}>
          Cancel
        </Button>
      </DialogActions>
    </Dialog>
  )
}
