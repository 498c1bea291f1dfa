import type { Question } from '@lis/contract/kit/questions.ts'
import { identityQuestion, patientLabels } from '@lis/contract/patients.ts'
import { styled } from '@mui/material/styles'
import { formatLongDate } from '../lib/formats.ts'

const Table = styled('table')({
  width: '100%',
  margin: '8px 0',
  borderCollapse: 'collapse',
  tableLayout: 'fixed',
  '& th, & td': {
    padding: '4px 8px',
    textAlign: 'left',
    borderBottom: '1px solid var(--line)',
    overflowWrap: 'anywhere',
  },
  '& thead th': { fontSize: 11, fontWeight: 600, color: 'var(--text-2)', background: 'var(--surface-2)' },
  '& tbody th': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .changed > td': { fontWeight: 600, background: 'var(--warning-bg)' },
})

const names = ['patientFirstName', 'patientLastName', 'patientDob'] as const
type Identity = Record<(typeof names)[number], string>

/** The patient's identity before and after the change. */
const IdentityChange = ({ question }: { question: Question }) => {
  const [before, after] = [question.before as Identity, question.after as Identity]
  const show = (name: (typeof names)[number], value: string) => (name === 'patientDob' ? formatLongDate(value) : value)
  return (
    <>
      <Table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name} className={before[name] === after[name] ? undefined : 'changed'}>
              <th scope="row">{patientLabels[name]}</th>
              <td>
                <bdi>{show(name, before[name])}</bdi>
              </td>
              <td>
                <bdi>{show(name, after[name])}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {question.reqIds && question.reqIds.length > 0 && (
        <p style={{ color: 'var(--text-2)' }}>
          Requisitions of this record: {shownIds(question.reqIds)}. 'Same person' corrects all of them; 'Another person'
          leaves the record as it was and gives only this requisition to somebody else.
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

/** The content of questions about patients, under their message. */
export const patientQuestionBodies = {
  [identityQuestion.code]: (question: Question) => <IdentityChange question={question} />,
}
