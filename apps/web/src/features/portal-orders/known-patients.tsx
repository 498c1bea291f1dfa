import { type KnownPatient, portalOrderRoutes } from '@lis/contract/portal-orders.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatLongDate } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { FieldInput } from '../../ui/form/field-input.tsx'

const Found = styled('ul')({
  margin: '8px 0 0',
  padding: 0,
  listStyle: 'none',
  '& li': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    padding: '6px 0',
    borderBottom: '1px solid var(--line)',
  },
  '& li:last-of-type': { borderBottom: 0 },
  '& span': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  '& small': { display: 'block', fontSize: 11, color: 'var(--text-3)' },
  '& button': { flex: 'none' },
})
const pauseMs = 400

/** Finds a patient of the practice by name, birth date or both. */
export const KnownPatients = ({ onChoose }: { onChoose: (patient: KnownPatient) => void }) => {
  const [text, setText] = useState('')
  const search = useDebounced(text.trim(), pauseMs)
  const { data, isError, error } = useQuery({
    ...read(portalOrderRoutes.patients, { query: { search: search || '-' } }),
    enabled: search.length >= 2,
    retry: false,
  })
  const found = search.length >= 2 ? data?.data : undefined
  return (
    <div>
      <FieldInput
        field={{
          name: 'patientSearch',
          label: 'Find a patient',
          kind: 'text',
          hint: 'Name, birth date, or both. A new patient is typed in below.',
        }}
        value={text}
        onChange={(value) => setText(String(value ?? ''))}
      />
      <div role="status">
        {isError && search.length >= 2 && error.message}
        {found?.length === 0 && 'No patient of your practice is found. Type the new patient in below.'}
      </div>
      {found && found.length > 0 && (
        <Found aria-label="Patients found">
          {found.map((patient) => (
            <li key={patient.id}>
              <span>
                <b>
                  {patient.patientLastName}, {patient.patientFirstName}
                </b>{' '}
                {formatLongDate(patient.patientDob)}
                <small>{[patient.patientGenderDesc, ...patient.insurances].filter(Boolean).join(' · ')}</small>
              </span>
              <Button onClick={() => onChoose(patient)}>Use this patient</Button>
            </li>
          ))}
        </Found>
      )}
    </div>
  )
}
