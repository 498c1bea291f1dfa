import type { InterfaceMessageDetail } from '@lis/contract/interfaces.ts'
import { styled } from '@mui/material/styles'
import { Fragment, type ReactNode } from 'react'
import { Tag } from '../../domain/flag-tags.tsx'
import { StageChip } from '../../domain/stage-chip.tsx'
import { formatLongDate } from '../../lib/formats.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { type Decision, remainingProblems } from './decision.ts'

type Message = InterfaceMessageDetail
type Problem = Message['problems'][number]

const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& td': { height: 31, padding: '0 8px', borderBottom: '1px solid var(--line)', overflowWrap: 'anywhere' },
  '& td:first-of-type': {
    width: 76,
    paddingLeft: 12,
    fontFamily: 'var(--font-mono)',
    fontSize: 11,
    color: 'var(--text-3)',
  },
  '& td:nth-of-type(2)': { width: 108, color: 'var(--text-2)' },
  '& td:last-of-type': { fontWeight: 600, color: 'var(--text-strong)' },
  // Paths of FHIR are longer; they break behind their dots.
  '&.paths td:first-of-type': { width: 122, overflowWrap: 'normal' },
  '&.paths td:nth-of-type(2)': { width: 80 },
  '& tr.marked td': { background: 'var(--warning-bg)' },
})

/** The same fault is marked in the problem, the field and the raw text. */
const isMarked = (problems: readonly Problem[], path: string, value: string) =>
  problems.some((one) => one.path === path && (one.value === '' || value.includes(one.value)))

const withBreaks = (path: string) =>
  path.split('.').map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path never change
    <Fragment key={index}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {part}
    </Fragment>
  ))

/** The fields that are read, by name. */
export const FieldTable = ({ message: { kind, fields, problems } }: { message: Message }) => (
  <Table aria-label="Fields" className={kind === 'HL7' ? undefined : 'paths'}>
    <tbody>
      {fields
        .filter(({ name }) => name !== '')
        .map(({ path, name, value }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: fields repeat, and never change
          <tr key={`${path}-${index}`} className={isMarked(problems, path, value) ? 'marked' : undefined}>
            <td>{withBreaks(path)}</td>
            <td>{name}</td>
            <td>{value}</td>
          </tr>
        ))}
    </tbody>
  </Table>
)

const Raw = styled('pre')({
  margin: 0,
  padding: 12,
  fontFamily: 'var(--font-mono)',
  fontSize: 11,
  lineHeight: '19px',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  // Further lines of a segment are indented.
  '& > span': { display: 'block', paddingLeft: 14, textIndent: -14 },
  '& mark': { background: 'var(--warning-bg)', color: 'var(--warning)', textDecoration: 'underline', fontWeight: 600 },
})

/** The message as received; it cannot be edited. */
export const RawText = ({ message: { rawMessage, problems } }: { message: Message }) => {
  if (rawMessage === null) return <p style={{ padding: 12 }}>The raw message has been deleted.</p>
  return (
    <Raw>
      {rawMessage.split('\n').map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change
        <span key={index}>{markedLine(line, problems)}</span>
      ))}
    </Raw>
  )
}

const markedLine = (line: string, problems: readonly Problem[]): ReactNode => {
  const found = problems.find(
    ({ path, value }) => value !== '' && line.startsWith(path.split('-')[0] ?? '') && line.includes(value),
  )
  if (!found?.path) return line
  const at = line.indexOf(found.value)
  return (
    <>
      {line.slice(0, at)}
      <mark>{found.value}</mark>
      {line.slice(at + found.value.length)}
    </>
  )
}

interface PreviewProps {
  message: Message
  decision: Decision
  codeOf: (key: string) => string
}

/** A preview of the effect of the message; updated with every choice before anything is written. */
export const PreviewList = ({ message, decision, codeOf }: PreviewProps) => {
  const { preview, state, answer } = message
  if (!preview) return <p style={{ padding: 12 }}>Nothing would be made of it.</p>
  const isOpen = state === 'HELD' || state === 'FAILED'
  return (
    <div style={{ padding: 12, display: 'flex', flexDirection: 'column', gap: 12 }}>
      <div style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
        {preview.action === 'New requisition' && <StageChip code="LOG" />}
        <span>
          {preview.action}
          {isOpen && ', not yet made'}
        </span>
      </div>
      <InfoList
        items={[
          ['Patient', patientOf(message, decision)],
          ['Client', preview.clientName],
          ['Physician', physicianOf(message, decision)],
          [
            'Collected',
            preview.collectedDate && (
              <Timestamp key="c" at={preview.collectedDate} zone={preview.collectedTz ?? undefined} />
            ),
          ],
          ['Tests', <Tests key="t" message={message} decision={decision} codeOf={codeOf} />],
          ['ICD', preview.icds.join(', ')],
          ['Bill to', preview.insurances.join(', ')],
          ['Their order', preview.extOrderId],
          ['Marks', [preview.isStat === 1 && 'STAT', preview.isFasting === 1 && 'Fasting'].filter(Boolean).join(', ')],
          ['Answer', answer && `${message.ackCode ?? ''} to ${message.interfaceName ?? 'the sender'}`],
        ]}
      />
      {isOpen && <Rest message={message} decision={decision} />}
    </div>
  )
}

const Rest = ({ message, decision }: Omit<PreviewProps, 'codeOf'>) => {
  const rest = remainingProblems(message, decision)
  if (rest.length === 0) return <Banner type="success">Nothing else stops it</Banner>
  return <Banner type="warning">{rest.map((one) => one.message).join('; ')}</Banner>
}

const Tests = ({ message: { preview }, decision, codeOf }: PreviewProps) =>
  preview?.tests.map(({ code, from, isKnown }) => {
    const chosen = decision.codes[from] ?? decision.codes[code]
    const words = isKnown === 1 ? code : chosen ? `${codeOf(chosen)} from ${from || code}` : `${from || code}?`
    return <Tag key={`${code} ${from}`}>{words}</Tag>
  })

const patientOf = ({ preview, candidates }: Message, { patient }: Decision) => {
  const chosen = candidates.find(({ patientId }) => patientId === patient)
  if (chosen) return `${chosen.patientName} (${formatLongDate(chosen.patientDob)})`
  const dob = preview?.patientDob ? ` (${formatLongDate(preview.patientDob)})` : ''
  const isNew = patient === 'new' || (preview?.patientId === null && candidates.length === 0)
  return `${preview?.patientName ?? ''}${dob}${isNew ? ', new' : ''}`
}

const physicianOf = ({ preview, physicians }: Message, { physId }: Decision) =>
  physicians.find((one) => one.physId === physId)?.physName ?? preview?.physName
