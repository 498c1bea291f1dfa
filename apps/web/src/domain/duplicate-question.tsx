import { type PossibleDuplicateClient, sameClientQuestion } from '@lis/contract/clients.ts'
import type { Question } from '@lis/contract/kit/questions.ts'
import { type PossibleDuplicatePhysician, samePhysicianQuestion } from '@lis/contract/physicians.ts'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { formatPhone } from '../lib/formats.ts'
import type { QuestionBodies } from '../ui/question-dialog.tsx'

const List = styled('ul')({ color: 'var(--text)', overflowWrap: 'anywhere' })

/** The records that the new one may duplicate. They open in a new tab, so that the input is kept. */
const duplicatesShownBy =
  <Duplicate extends { id: number }>(path: string, show: (duplicate: Duplicate) => [name: string, rest?: ReactNode]) =>
  ({ duplicates }: Question) => (
    <List>
      {(duplicates as Duplicate[]).map((duplicate) => {
        const [name, rest] = show(duplicate)
        return (
          <li key={duplicate.id}>
            <a href={`/${path}/${duplicate.id}/show`} target="_blank" rel="noreferrer">
              {name}
            </a>
            {rest}
          </li>
        )
      })}
    </List>
  )

export const duplicateQuestionBodies: QuestionBodies = {
  [sameClientQuestion]: duplicatesShownBy('clients', (client: PossibleDuplicateClient) => [
    `${client.clientName} (${client.legacyClientId})`,
    <>
      <br />
      {client.clientAddr1}, {client.clientCity}, {client.clientState} {client.clientZip},{' '}
      {formatPhone(client.clientPhone)}
    </>,
  ]),
  [samePhysicianQuestion]: duplicatesShownBy('physicians', (physician: PossibleDuplicatePhysician) => [
    `${physician.physFirstName} ${physician.physLastName}, ${physician.physTitle} (NPI ${physician.npiNumber})`,
  ]),
}
