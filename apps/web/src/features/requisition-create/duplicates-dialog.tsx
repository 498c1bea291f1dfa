import { patientMessages } from '@lis/contract/patients.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useId } from 'react'
import { formatLongDay } from '../../lib/formats.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { DuplicatesQuestion } from './use-creation.ts'

/** Before a second record of one person is made: is it one of these? */
export const DuplicatesDialog = ({ question }: { question: DuplicatesQuestion | null }) => {
  const id = useId()
  if (!question) return null
  const { patients, answer } = question
  return (
    <Dialog open onClose={() => answer(null)} aria-labelledby={id} slotProps={{ paper: { sx: { maxWidth: 460 } } }}>
      <DialogTitle id={id}>{patientMessages.duplicate}</DialogTitle>
      <DialogContent>
        {patients.map((patient) => (
          <p key={patient.id} style={{ display: 'flex', alignItems: 'center', gap: 8, padding: '4px 0' }}>
            <span style={{ flex: '1 1 auto' }}>
              <b>
                {patient.patientLastName}, {patient.patientFirstName}
              </b>{' '}
              {formatLongDay(patient.patientDob)}{' '}
              {[patient.patientCity, patient.patientStateCode].filter(Boolean).join(', ')}
            </span>
            <Button onClick={() => answer(patient)}>Use this patient</Button>
          </p>
        ))}
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={() => answer(null)}>
          Cancel
        </Button>
        <Button variant="contained" onClick={() => answer('new')}>
          Create new patient
        </Button>
      </DialogActions>
    </Dialog>
  )
}
