import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { styled } from '@mui/material/styles'
import { Fragment, useId, useState } from 'react'
import { ActionButton } from '../action-button.tsx'
import { Dialog } from '../dialog.tsx'
import { Timestamp } from '../timestamp.tsx'
import type { Difference, Side } from './conflict.ts'
import { FieldText } from './field-text.tsx'
import type { FieldDef, Values } from './field-types.ts'
import { Radio } from './toggles.tsx'

/** One row per field, one column per side. */
export const SidesTable = styled('table')(({ theme }) => ({
  width: '100%',
  marginTop: 12,
  borderCollapse: 'collapse',
  tableLayout: 'fixed',
  '& th, & td': { padding: '4px 8px', textAlign: 'left', verticalAlign: 'top', borderBottom: '1px solid var(--line)' },
  '& thead th': { fontSize: 11, fontWeight: 600, color: 'var(--text-2)', background: 'var(--surface-2)', height: 32 },
  '& tbody th': { width: '28%', fontWeight: 600, lineHeight: '28px', color: 'var(--text-strong)' },
  '& td': { overflowWrap: 'anywhere' },
  '& tr.contested > *': { background: 'var(--warning-bg)' },
  '& .side': { display: 'none' },
  [theme.breakpoints.down('sm')]: {
    '& thead': { display: 'none' },
    '& tr': { display: 'block', padding: '4px 0', borderBottom: '1px solid var(--line)' },
    '& tbody th, & td': { display: 'block', width: 'auto', border: 0 },
    // The column headers are hidden.
    '& .side': { display: 'block', fontSize: 11, lineHeight: '15px', color: 'var(--text-2)' },
  },
}))

interface ConflictDialogProps {
  differences: readonly Difference[]
  values: Values
  /** Who saved in the meantime, if the server says so. */
  changedBy: string | undefined
  /** ISO timestamp. */
  changedAt: string | undefined
  isBusy: boolean
  backLabel?: string
  onSave: (sides: Record<string, Side>) => void
  onCancel: () => void
}

/** Another user has saved the same record: choose 'mine' or 'theirs' per field, and save again. */
export const ConflictDialog = ({
  differences,
  values,
  changedBy,
  changedAt,
  isBusy,
  onSave,
  onCancel,
  ...rest
}: ConflictDialogProps) => {
  const { backLabel = 'Back to the form' } = rest
  const id = useId()
  const [sides, setSides] = useState<Record<string, Side>>(() =>
    Object.fromEntries(differences.map(({ field, side }) => [field.name, side])),
  )
  const otherUser = changedBy ?? 'Somebody else'
  const cell = (difference: Difference, side: Side) => (
    <td>
      <Radio
        name={`${id}-${difference.field.name}`}
        aria-label={`${difference.field.label}, ${side === 'mine' ? 'yours' : 'theirs'}`}
        label={
          <span>
            <span className="side">{side === 'mine' ? 'Yours' : (changedBy ?? 'Theirs')}</span>
            <SideText difference={difference} side={side} values={values} />
          </span>
        }
        checked={sides[difference.field.name] === side}
        onChange={() => setSides({ ...sides, [difference.field.name]: side })}
      />
    </td>
  )
  return (
    <Dialog open onClose={onCancel} aria-labelledby={`${id}-title`} slotProps={{ paper: { sx: { maxWidth: 660 } } }}>
      <DialogTitle id={`${id}-title`}>{otherUser} has changed this record in the meantime</DialogTitle>
      <DialogContent>
        <p style={{ color: 'var(--text-2)' }}>
          {changedAt && (
            <>
              Saved <Timestamp at={changedAt} />.{' '}
            </>
          )}
          {differences.length === 0
            ? 'Nothing that you see here differs from what you typed. Save again to store it.'
            : 'Choose what is right in each field. Fields that you both changed are marked.'}
        </p>
        {differences.length > 0 && (
          <SidesTable>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Yours</th>
                <th scope="col">{changedBy ?? 'Theirs'}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map((difference) => (
                <tr key={difference.field.name} className={difference.isContested ? 'contested' : undefined}>
                  <th scope="row">{difference.field.label}</th>
                  {cell(difference, 'mine')}
                  {cell(difference, 'theirs')}
                </tr>
              ))}
            </tbody>
          </SidesTable>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onCancel}>{backLabel}</Button>
        <ActionButton variant="contained" color="primary" isBusy={isBusy} onClick={() => onSave(sides)}>
          Save again
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}

/** The value of one side. */
export const SideText = ({ difference, side, values }: { difference: Difference; side: Side; values: Values }) => {
  const { field, parts, shownBy } = difference
  return shownBy && parts ? (
    <Texts fields={shownBy(parts[side])} values={parts[side]} />
  ) : (
    <FieldText field={field} value={difference[side]} values={values} />
  )
}

const Texts = ({ fields, values }: { fields: readonly FieldDef[]; values: Values }) =>
  fields.map((field, changedAt) => (
    <Fragment key={field.label}>
      {changedAt > 0 && ', '}
      <FieldText field={field} value={values[field.name]} values={values} />
    </Fragment>
  ))
