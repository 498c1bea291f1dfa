import type { InterfaceMessageDetail } from '@lis/contract/interfaces.ts'
import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { Link } from 'react-router'
import { Tag } from '../../domain/flag-tags.tsx'
import { formatLongDate } from '../../lib/formats.ts'
import { AutocompleteInput } from '../../ui/form/autocomplete-input.tsx'
import { Radio } from '../../ui/form/toggles.tsx'
import { UsersIcon, WarningIcon } from '../../ui/icons.tsx'
import { type Decision, isAboutPhysician } from './decision.ts'
import type { useOrderables } from './orderables.ts'

type Message = InterfaceMessageDetail

const Frame = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(320px, 1fr))',
  borderBottom: '1px solid var(--line-strong)',
  '& > section': { minWidth: 0, padding: '0 16px 12px', borderLeft: '1px solid var(--line)' },
  '& > section:first-of-type': { borderLeft: 0 },
  '& h3': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 32,
    margin: '0 -16px 8px',
    padding: '4px 16px',
    fontSize: 12,
    fontWeight: 600,
    color: 'var(--text-strong)',
    background: 'var(--warning-bg)',
    borderBottom: '1px solid var(--warning-line)',
  },
  '& h3 svg': { flex: 'none', color: 'var(--warning)' },
  '& h3 small': { marginLeft: 'auto', fontWeight: 400, fontSize: 11, color: 'var(--text-2)', whiteSpace: 'nowrap' },
  '& .hint': { marginTop: 4, fontSize: 11, color: 'var(--text-2)' },
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
const Candidates = styled('div')({
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--r-sm)',
  '& > div': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 30,
    padding: '0 10px',
    borderBottom: '1px solid var(--line)',
  },
  '& > div:last-of-type': { borderBottom: 0 },
  '& .why': { marginLeft: 'auto' },
})

export interface ProblemCardsProps {
  message: Message
  decision: Decision
  onDecide: (change: Partial<Decision>) => void
  orderables: ReturnType<typeof useOrderables>
  isDisabled: boolean
}

/** Each problem of a held message with its proposed answer. */
export const ProblemCards = (props: ProblemCardsProps) => {
  const { problems } = props.message
  const unknown = [...new Set(problems.filter(({ code }) => code === 'UNKNOWN_TEST').map(({ value }) => value))]
  const others = problems.filter(
    (one) => !['UNKNOWN_TEST', 'PATIENT_CONFLICT'].includes(one.code) && !isAboutPhysician(one),
  )
  const about = (code: string) => problems.find((one) => one.code === code)
  const physician = problems.find(isAboutPhysician)
  const patient = about('PATIENT_CONFLICT')
  if (problems.length === 0) return null
  return (
    <Frame>
      {unknown.map((code) => (
        <UnknownCode key={code} {...props} code={code} />
      ))}
      {physician && <WhichPhysician {...props} path={physician.path} words={physician.message} />}
      {patient && <WhichPatient {...props} path={patient.path} words={patient.message} />}
      {others.map((one) => (
        <section key={`${one.code} ${one.path} ${one.message}`}>
          <Title path={one.path}>{one.message}</Title>
          <p>{adviceOf(one.code)}</p>
        </section>
      ))}
    </Frame>
  )
}

const advice: Record<string, string> = {
  NEEDS_APPROVAL: 'This interface wants a person to look at each order.',
  NOT_ALLOWED_NOW: 'Do by hand what the message asks for, or dismiss it with a reason.',
  UNKNOWN_CLIENT: 'Give the client this number as its external id, then reprocess.',
}
const adviceOf = (code: string) =>
  advice[code] ?? 'Ask the sender to send it again with this, then dismiss this message.'

const Title = ({
  path,
  children,
  Glyph = WarningIcon,
}: {
  path: string
  children: string
  Glyph?: typeof WarningIcon
}) => (
  <h3>
    <Glyph size={14} />
    {children}
    <small>{path}</small>
  </h3>
)

const UnknownCode = ({
  message,
  decision,
  onDecide,
  orderables,
  isDisabled,
  code,
}: ProblemCardsProps & { code: string }) => {
  const suggestion = message.suggestions.find((one) => one.code === code)
  const path = message.problems.find((one) => one.value === code)?.path ?? ''
  const { sameCauseCount, interfaceName, interfaceId } = message
  return (
    <section>
      <Title
        path={sameCauseCount > 0 ? `${path}, ${sameCauseCount + 1} messages` : path}
      >{`${code} is not a test we know`}</Title>
      <AutocompleteInput
        field={{ name: `code-${code}`, label: `${code} means`, kind: 'autocomplete', options: orderables.options }}
        value={decision.codes[code] ?? ''}
        disabled={isDisabled}
        onChange={(key) => onDecide({ codes: { ...decision.codes, [code]: String(key) } })}
      />
      {suggestion && <p className="hint">Suggested: {suggestion.why}</p>}
      <p className="hint">
        Always for {interfaceName}: it is added to{' '}
        <Link to={`/interfaces/partners/${interfaceId}/show`}>its codes</Link>, where it can be taken back.
      </p>
    </section>
  )
}

type Which = ProblemCardsProps & { path: string; words: string }

const WhichPhysician = ({ message, decision, onDecide, isDisabled, path, words }: Which) => (
  <section>
    <Title path={path}>{words}</Title>
    <AutocompleteInput
      field={{
        name: 'physician',
        label: 'Physician',
        kind: 'autocomplete',
        options: message.physicians.map(({ physId, physName, physNpi }) => ({
          value: physId,
          label: `${physName} ${physNpi}`,
        })),
        ...(message.physicians.length === 0 && { hint: 'The client has no physicians yet' }),
      }}
      value={decision.physId ?? ''}
      disabled={isDisabled}
      onChange={(id) => onDecide({ physId: id === '' ? null : Number(id) })}
    />
  </section>
)

const WhichPatient = ({ message, decision, onDecide, isDisabled, path, words }: Which) => {
  const name = useId()
  const titleId = useId()
  const isOrder = message.preview?.action === 'New requisition'
  return (
    <section>
      <h3 id={titleId}>
        <UsersIcon size={14} />
        Which patient is it?
        <small>{path}</small>
      </h3>
      <p style={{ marginBottom: 6 }}>{words}</p>
      <Candidates role="radiogroup" aria-labelledby={titleId}>
        {message.candidates.map((one) => (
          <div key={one.patientId}>
            <Radio
              name={name}
              label={`${one.patientName} ${formatLongDate(one.patientDob)}, ${[one.patientGenderCode, one.patientCity].filter(Boolean).join(', ')}`}
              checked={decision.patient === one.patientId}
              disabled={isDisabled}
              onChange={() => onDecide({ patient: one.patientId })}
            />
            <span className="why">
              <Tag>{one.why}</Tag>
            </span>
          </div>
        ))}
        {isOrder && (
          <div>
            <Radio
              name={name}
              label="A new patient"
              checked={decision.patient === 'new'}
              disabled={isDisabled}
              onChange={() => onDecide({ patient: 'new' })}
            />
          </div>
        )}
      </Candidates>
    </section>
  )
}
