import type { Question } from '@lis/contract/kit/questions.ts'
import { identityQuestion, type PatientRow, patientLabels, samePatientQuestion } from '@lis/contract/patients.ts'
import { formatLongDate } from '../lib/formats.ts'
import { BeforeAfter, identityValue } from './before-after.tsx'
import { patientDetails } from './suggested-patients.tsx'

const names = ['patientFirstName', 'patientLastName', 'patientDob'] as const
type Identity = Record<(typeof names)[number], string>

/** The patient's identity before and after the change. */
const IdentityChange = ({ question }: { question: Question }) => {
  const [before, after] = [question.before as Identity, question.after as Identity]
  return (
    <>
      <BeforeAfter
        rows={names.map((name) => ({
          label: patientLabels[name],
          before: identityValue(name, before[name]),
          after: identityValue(name, after[name]),
        }))}
      />
      {question.reqIds && question.reqIds.length > 0 && (
        <p style={{ color: 'var(--text-2)' }}>
          {question.reqIds.length === 1
            ? "This is the only requisition of the record. 'Same person' corrects the record; "
            : `Requisitions of this record: ${shownIds(question.reqIds)}. 'Same person' corrects all of them; `}
          'Another person' leaves the record as it was and gives only this requisition to somebody else.
        </p>
      )}
    </>
  )
}

const mostShown = 12
const shownIds = (ids: readonly number[]) => {
  const shown = ids
    .slice(0, mostShown)
    .map((id) => `#${id}`)
    .join(', ')
  return ids.length > mostShown ? `${shown} and ${ids.length - mostShown} more` : shown
}

/** The known patients, with what distinguishes namesakes. */
const KnownPatients = ({ patients }: { patients: readonly PatientRow[] }) => (
  <ul style={{ color: 'var(--text)', overflowWrap: 'anywhere' }}>
    {patients.map((patient) => (
      <li key={patient.id}>
        <b>
          <bdi>{patient.patientLastName}</bdi>,{' '}
          <bdi>{[patient.patientFirstName, patient.patientMiddleName].filter(Boolean).join(' ')}</bdi>
        </b>{' '}
        {formatLongDate(patient.patientDob)}
        <br />
        {[patientDetails(patient), patient.patientSsn && `SSN ${patient.patientSsn}`, `ID ${patient.id}`]
          .filter(Boolean)
          .join(' · ')}
      </li>
    ))}
  </ul>
)

/** The content of questions about patients, under their message. */
export const patientQuestionBodies = {
  [samePatientQuestion]: ({ duplicates }: Question) => <KnownPatients patients={duplicates as PatientRow[]} />,
  [identityQuestion.code]: (question: Question) => <IdentityChange question={question} />,
}
