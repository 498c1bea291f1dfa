import { formatFilter } from '@lis/contract/kit/list-query.ts'
import { type MergeField, mergeFields, type PatientMerge, patientMergeRoutes } from '@lis/contract/patient-merges.ts'
import { type Patient, type PatientRow, patientLabels, patientRoutes } from '@lis/contract/patients.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { identityValue } from '../../domain/before-after.tsx'
import { patientDetails } from '../../domain/suggested-patients.tsx'
import { call } from '../../lib/api.ts'
import { formatLongDate } from '../../lib/formats.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Radio } from '../../ui/form/toggles.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { TextField } from '../../ui/text-field.tsx'

const Found = styled('ul')({
  listStyle: 'none',
  margin: '8px 0 0',
  padding: 0,
  '& button': {
    display: 'block',
    width: '100%',
    padding: '8px 10px',
    border: 0,
    borderTop: '1px solid var(--line)',
    background: 'none',
    font: 'inherit',
    color: 'var(--text)',
    textAlign: 'left',
    cursor: 'pointer',
    '&:hover': { background: 'var(--surface-2)' },
    '&:focus-visible': { outline: '2px solid var(--p-400)', outlineOffset: -2 },
  },
  '& b': { color: 'var(--text-strong)' },
  '& small': { display: 'block', fontSize: 11, color: 'var(--text-3)' },
})
const Sides = styled('table')(({ theme }) => ({
  width: '100%',
  borderCollapse: 'collapse',
  tableLayout: 'fixed',
  '& th, & td': {
    padding: '4px 8px',
    textAlign: 'left',
    verticalAlign: 'top',
    borderBottom: '1px solid var(--line)',
    overflowWrap: 'anywhere',
  },
  '& thead th': { fontSize: 11, fontWeight: 600, color: 'var(--text-2)', background: 'var(--surface-2)' },
  '& tbody th': { width: '26%', fontWeight: 600, color: 'var(--text-strong)' },
  '& .differs > td': { background: 'var(--warning-bg)' },
  [theme.breakpoints.down('sm')]: { '& th, & td': { padding: '4px' } },
}))

const nameOf = (patient: Patient) => `${patient.patientLastName}, ${patient.patientFirstName}`

interface MergeDialogProps {
  patient: Patient
  onMerged: () => void
  onClose: () => void
}

/** Finds the other record of a patient, shows both side by side, and makes them one. */
export const MergeDialog = ({ patient, onMerged, onClose }: MergeDialogProps) => {
  const id = useId()
  const [other, setOther] = useState<PatientRow | null>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={`${id}-title`}
      slotProps={{ paper: { sx: { width: 760, maxWidth: '96vw' } } }}
    >
      <DialogTitle id={`${id}-title`}>
        {other ? 'Are these the same person?' : `Merge another record into ${nameOf(patient)}`}
      </DialogTitle>
      {other ? (
        <CompareStep
          key={other.id}
          keep={patient}
          gone={other}
          onMerged={onMerged}
          onBack={() => setOther(null)}
          onClose={onClose}
        />
      ) : (
        <SearchStep patient={patient} onChoose={setOther} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface SearchStepProps {
  patient: Patient
  onChoose: (other: PatientRow) => void
  onClose: () => void
}

const SearchStep = ({ patient, onChoose, onClose }: SearchStepProps) => {
  const [text, setText] = useState(patient.patientLastName)
  const search = useDebounced(text.trim(), 400)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [patientRoutes.list.path, 'merge', search],
    queryFn: ({ signal }) =>
      call(patientRoutes.list, { query: { perPage: -1, filter: formatFilter({ search }) }, signal }),
    enabled: search.length >= 2,
  })
  const rows = (data?.data ?? []).filter((row) => row.id !== patient.id)
  return (
    <>
      <DialogContent>
        <p className="muted">
          {nameOf(patient)} ({formatLongDate(patient.patientDob)}, ID {patient.id}) is kept. The requisitions of the
          other record move to it.
        </p>
        <TextField
          label="Find the other record"
          hint="Names and a date of birth, such as Doe Jane 1/2/60"
          value={text}
          autoFocus
          onChange={(event) => setText(event.target.value)}
        />
        {error && <LoadFailed error={error} onRetry={() => refetch()} />}
        {!error && search.length >= 2 && rows.length === 0 && (
          <p role="status">{isFetching ? 'Searching…' : 'No other record found.'}</p>
        )}
        <Found aria-label="Other records">
          {rows.map((row) => (
            <li key={row.id}>
              <button type="button" onClick={() => onChoose(row)}>
                <b>
                  <bdi>{row.patientLastName}</bdi>,{' '}
                  <bdi>{[row.patientFirstName, row.patientMiddleName].filter(Boolean).join(' ')}</bdi>
                </b>{' '}
                {formatLongDate(row.patientDob)}
                <small>
                  {patientDetails(row)} · ID {row.id}
                </small>
              </button>
            </li>
          ))}
        </Found>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
      </DialogActions>
    </>
  )
}

interface CompareStepProps {
  keep: Patient
  gone: Patient
  onMerged: () => void
  onBack: () => void
  onClose: () => void
}

const shown = (patient: Patient, field: MergeField) =>
  field === 'patientStateId'
    ? patient.patientState
    : field === 'patientGenderCode'
      ? patient.patientGenderDesc
      : identityValue(field, patient[field])

/** Both records beside each other; where they differ, one of the two values is chosen. */
const CompareStep = ({ keep, gone, onMerged, onBack, onClose }: CompareStepProps) => {
  const names = { keepId: keep.id, goneId: gone.id }
  const plan = useQuery({
    queryKey: [patientMergeRoutes.merge.path, keep.id, gone.id],
    queryFn: () => call(patientMergeRoutes.merge, { body: { ...names, dryRun: true } }),
    staleTime: 0,
    gcTime: 0,
  })
  const [fields, setFields] = useState<Partial<Record<MergeField, 'KEEP' | 'GONE'>>>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const found = plan.data?.data
  const differing = new Set(found?.differences.map(({ field }) => field))
  // Values that only the other record has are taken over unless the user decides otherwise.
  const choiceOf = (field: MergeField) => fields[field] ?? (shown(keep, field) === null ? 'GONE' : 'KEEP')
  const run = () =>
    whileBusy(async () => {
      const chosen = Object.fromEntries([...differing].map((field) => [field, choiceOf(field)]))
      try {
        await call(patientMergeRoutes.merge, { body: { ...names, fields: chosen } })
        onMerged()
      } catch (error) {
        setFailure((error as Error).message)
      }
    })
  return (
    <>
      <DialogContent>
        {plan.error && <LoadFailed error={plan.error} onRetry={() => plan.refetch()} />}
        {!found && !plan.error && (
          <p role="status" style={{ display: 'flex', gap: 8, alignItems: 'center', minHeight: 120 }}>
            <Spinner sx={{ width: 14, height: 14, color: 'var(--p)' }} /> Comparing the records
          </p>
        )}
        {found && (
          <>
            <Sides aria-label="Both records">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Kept, ID {keep.id}</th>
                  <th scope="col">Other, ID {gone.id}</th>
                </tr>
              </thead>
              <tbody>
                {mergeFields.map((field) => (
                  <FieldRow
                    key={field}
                    field={field}
                    values={[shown(keep, field), shown(gone, field)]}
                    choice={differing.has(field) ? choiceOf(field) : null}
                    onChoose={(choice) => setFields({ ...fields, [field]: choice })}
                  />
                ))}
              </tbody>
            </Sides>
            <p style={{ margin: '12px 0 0' }}>{consequence(found.reqIds, found.heldReports.length)}</p>
          </>
        )}
        {failure && (
          <div style={{ marginTop: 8 }}>
            <Banner type="error">{failure}</Banner>
          </div>
        )}
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap' }}>
        <Button onClick={onBack}>Back</Button>
        <Button autoFocus variant="contained" onClick={onClose}>
          Cancel
        </Button>
        <ActionButton variant="outlined" isBusy={isBusy} disabled={!found} onClick={run}>
          Same person, merge
        </ActionButton>
      </DialogActions>
    </>
  )
}

const counted = (count: number, noun: string) => `${count === 0 ? 'No' : count} ${noun}${count === 1 ? '' : 's'}`
const consequence = (reqIds: readonly number[], held: number) => {
  const moves = `${counted(reqIds.length, 'requisition')} of the other record ${reqIds.length === 1 ? 'moves' : 'move'} to the kept one.`
  const holds =
    held === 0
      ? ''
      : ` ${counted(held, 'report')} on ${held === 1 ? 'its' : 'their'} way will be held for a person to check.`
  return `${moves}${holds} The merge can be undone for 30 days.`
}

interface FieldRowProps {
  field: MergeField
  values: readonly [keep: string | null, gone: string | null]
  /** Null where both agree. */
  choice: 'KEEP' | 'GONE' | null
  onChoose: (choice: 'KEEP' | 'GONE') => void
}

const FieldRow = ({ field, values: [keep, gone], choice, onChoose }: FieldRowProps) => {
  const id = useId()
  const side = (value: string | null, own: 'KEEP' | 'GONE') =>
    choice === null ? (
      <bdi>{value ?? '–'}</bdi>
    ) : (
      <Radio label={value ?? '–'} name={id} checked={choice === own} onChange={() => onChoose(own)} />
    )
  return (
    <tr className={choice === null ? undefined : 'differs'}>
      <th scope="row">{patientLabels[field]}</th>
      <td>{side(keep, 'KEEP')}</td>
      <td>{side(gone, 'GONE')}</td>
    </tr>
  )
}

export const mergeTitle = ({ goneName, goneId }: PatientMerge) => `${goneName} (ID ${goneId})`
