import { parseDate } from '@lis/contract/kit/date-range.ts'
import { formatFilter } from '@lis/contract/kit/list-query.ts'
import { formatBirthDate, type PatientRow, patientRoutes, toBirthDateParts } from '@lis/contract/patients.ts'
import Link from '@mui/material/Link'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../lib/api.ts'
import { formatLongDate } from '../lib/formats.ts'
import { useDebounced } from '../lib/use-lookup.ts'
import type { Values } from '../ui/form/field-types.ts'
import { Checkbox } from '../ui/form/toggles.tsx'

const Frame = styled('div')({ margin: -12, containerType: 'inline-size' })
// The patient fields with suggestions beside them; in narrow cards below them.
const FieldsWithPanel = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(224px, 28%)',
  minHeight: 190,
  '& > div': { padding: 12, minWidth: 0, display: 'flex', flexDirection: 'column', gap: 12 },
  '@container (max-width: 560px)': {
    gridTemplateColumns: 'minmax(0, 1fr)',
    '& > aside': { borderLeft: 0, borderTop: '1px solid var(--line)', height: 190 },
  },
})
const Panel = styled('aside')({
  minWidth: 0,
  // As high as the fields beside it, whatever is found: the form must not move under the hands.
  position: 'relative',
  '& > div': { position: 'absolute', inset: 0, paddingTop: 12, overflowY: 'auto' },
  borderLeft: '1px solid var(--line)',
  borderRadius: '0 0 var(--r-md) 0',
  background: 'var(--surface-2)',
  '& h3': { fontSize: 12, lineHeight: '16px', fontWeight: 600, color: 'var(--text-strong)' },
  '& h3, & label': { margin: '0 12px 4px' },
  '& ul': { listStyle: 'none', margin: '4px 0 0', padding: 0 },
  '& p': { color: 'var(--text-3)', padding: '2px 12px 12px' },
  '& p[role=alert]': { color: 'var(--error)' },
})
const Choice = styled('button')({
  display: 'block',
  width: '100%',
  padding: '7px 12px',
  border: 0,
  borderTop: '1px solid var(--line)',
  background: 'none',
  font: 'inherit',
  color: 'var(--text)',
  textAlign: 'left',
  cursor: 'pointer',
  '&:hover': { background: 'var(--surface)' },
  '&[aria-pressed=true]': { background: 'var(--p-100)', boxShadow: 'inset 3px 0 0 var(--p)' },
  '&:focus-visible': { outline: 'none', boxShadow: 'inset 0 0 0 2px var(--p-400)' },
  // A long name wraps; the elements beside it do not.
  '& .name': {
    display: 'flex',
    alignItems: 'flex-start',
    gap: 8,
    fontWeight: 600,
    '& > span:first-of-type': { flex: '1 1 auto', minWidth: 0, overflowWrap: 'anywhere' },
  },
  '& .day': { flex: 'none', fontWeight: 400 },
  '& .rest': { display: 'flex', flexWrap: 'wrap', gap: 6, fontSize: 11, color: 'var(--text-3)' },
  '&[aria-pressed=true] .rest': { color: 'var(--text-2)' },
})
const Tag = styled('span')({
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  background: 'var(--warning-bg)',
  color: 'var(--warning)',
})

const pauseMs = 1000

/** Fields that narrow the search and may be wrong or missing on the right person's record. */
const optionalFilters = ['patientMiddleName', 'patientGenderCode'] as const

/**
 * Search filters from the name, birth date and sex typed so far; null while that is too little (PAT-G8). The second filter is used if the
 * first finds nobody: a middle name or sex left over from the previous patient must not hide the right one.
 */
const filtersOf = (values: Values): [string, string] | null => {
  const text = (name: string) => String(values[name] ?? '').trim()
  const parts = ['patientDobMonth', 'patientDobDate', 'patientDobYear'].map((name) => Number(text(name)))
  const [patientDobMonth = 0, patientDobDate = 0, patientDobYear = 0] = parts
  const dob = parseDate(formatBirthDate({ patientDobMonth, patientDobDate, patientDobYear }))
    ? formatBirthDate({ patientDobMonth, patientDobDate, patientDobYear })
    : ''
  const last = text('patientLastName')
  if (last.length < 2 && dob === '') return null
  const fields = {
    patientFirstName: text('patientFirstName'),
    patientMiddleName: text('patientMiddleName'),
    patientLastName: last,
    patientDob: dob,
    patientGenderCode: text('patientGenderCode'),
  }
  const given = Object.entries(fields).filter(([, value]) => value !== '')
  const wide = given.filter(([name]) => !optionalFilters.some((one) => one === name))
  return [formatFilter(Object.fromEntries(given)), formatFilter(Object.fromEntries(wide))]
}

const search = async (filters: readonly [string, string], signal: AbortSignal) => {
  const [exact, wide] = filters
  const ask = (filter: string) => call(patientRoutes.list, { query: { perPage: -1, filter }, signal })
  const found = await ask(exact)
  return found.data.length > 0 || exact === wide ? found : ask(wide)
}

/** What distinguishes two patients with the same name. */
export const patientDetails = (row: PatientRow) =>
  [
    row.patientGenderDesc.slice(0, 1),
    [row.patientCity, row.patientStateCode].filter(Boolean).join(', '),
    `${row.reqCount} requisition${row.reqCount === 1 ? '' : 's'}`,
  ]
    .filter(Boolean)
    .join(' · ')

/** The values that a chosen patient fills in. */
export const valuesOfPatient = (patient: Omit<PatientRow, 'reqCount'>): Values => ({
  ...patient,
  ...toBirthDateParts(patient.patientDob),
})

interface SuggestedPatientsProps {
  values: Values
  selected: PatientRow | null
  /** The requisition's patient, while no other is chosen. */
  ownId?: number
  /** The filled-in values have been edited. */
  isEdited: boolean
  isNew: boolean
  onSelect: (patient: PatientRow) => void
  onNew: (isNew: boolean) => void
}

/** The patient fields with the suggestions beside them. */
export const WithSuggestions = ({ children, ...props }: SuggestedPatientsProps & { children: ReactNode }) => (
  <Frame>
    <FieldsWithPanel onKeyDown={moveBySuggestions}>
      <div>{children}</div>
      <SuggestedPatients {...props} />
    </FieldsWithPanel>
  </Frame>
)

/** Patients who may match the input, searched once typing pauses. */
const SuggestedPatients = ({ values, selected, ownId, isEdited, isNew, onSelect, onNew }: SuggestedPatientsProps) => {
  const typed = filtersOf(values)
  const filter = useDebounced(typed?.join('\n') ?? null, pauseMs)
  const { data, isFetching, error, refetch } = useQuery({
    queryKey: [patientRoutes.list.path, filter],
    queryFn: ({ signal }) => search((filter ?? '').split('\n') as [string, string], signal),
    enabled: !isNew && filter !== null,
  })
  const found = data?.data ?? []
  const rows = selected && !found.some(({ id }) => id === selected.id) ? [selected, ...found] : found
  return (
    <Panel aria-label="Suggested patients">
      <div>
        <h3>Suggested patients</h3>
        <Checkbox
          label="New Patient (hide suggestions)"
          checked={isNew}
          onChange={(event) => onNew(event.target.checked)}
        />
        {!isNew && (
          <>
            {error && !isFetching && (
              <p role="alert">
                The search failed: {error.message}{' '}
                <Link component="button" type="button" variant="inherit" onClick={() => refetch()}>
                  Retry
                </Link>
              </p>
            )}
            {rows.length === 0 && !(error && !isFetching) && (
              <p>
                {filter === null
                  ? 'Type a last name or a date of birth.'
                  : isFetching
                    ? 'Searching…'
                    : 'No patient found.'}
              </p>
            )}
            {rows.length > 0 && (
              <ul>
                {rows.map((row) => (
                  <li key={row.id}>
                    <Choice
                      type="button"
                      tabIndex={-1}
                      aria-pressed={row.id === (selected?.id ?? ownId)}
                      onClick={() => onSelect(row)}
                    >
                      <span className="name">
                        <span>
                          <bdi>{row.patientLastName}</bdi>, <bdi>{row.patientFirstName}</bdi>
                        </span>
                        <span className="day">{formatLongDate(row.patientDob)}</span>
                      </span>
                      <span className="rest">
                        {patientDetails(row)}
                        {row.id === selected?.id && isEdited && <Tag>Edited</Tag>}
                      </span>
                    </Choice>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </div>
    </Panel>
  )
}

/** The suggestions are no tab stops: the arrow down leads from a text field to them, and Escape back. */
const moveBySuggestions = (event: React.KeyboardEvent<HTMLElement>) => {
  const { target, currentTarget, key } = event
  if (!(target instanceof HTMLElement) || !currentTarget.contains(target)) return
  const choices = [...currentTarget.querySelectorAll<HTMLElement>('aside li > button')]
  const at = choices.indexOf(target)
  const isField =
    target instanceof HTMLInputElement && target.getAttribute('role') !== 'combobox' && target.type !== 'radio'
  const next =
    key === 'ArrowDown' && (at >= 0 || isField)
      ? choices[at + 1]
      : key === 'ArrowUp' && at > 0
        ? choices[at - 1]
        : key === 'Escape' && at >= 0
          ? currentTarget.querySelector<HTMLElement>('input[name=patientLastName]')
          : undefined
  if (!next) return
  event.preventDefault()
  next.focus()
}

const isSame = (one: unknown, other: unknown) => String(one ?? '').trim() === String(other ?? '').trim()

/** Whether the input differs from the record, in the fields of the form. */
export const isPatientEdited = (
  selected: Omit<PatientRow, 'reqCount'> | null,
  values: Values,
  names: readonly string[],
): boolean => {
  if (!selected) return false
  const filled = valuesOfPatient(selected)
  return names.some((name) => {
    const number = name.startsWith('patientDob')
    return number ? Number(values[name]) !== Number(filled[name]) : !isSame(values[name], filled[name])
  })
}
