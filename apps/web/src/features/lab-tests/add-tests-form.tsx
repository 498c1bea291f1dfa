import { messages } from '@lis/contract/messages.ts'
import { reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import Button from '@mui/material/Button'
import Drawer from '@mui/material/Drawer'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Checkbox } from '../../ui/form/toggles.tsx'
import { CloseIcon, ErrorIcon } from '../../ui/icons.tsx'
import { ErrorState, LoadingState } from '../../ui/states.tsx'

const Sheet = styled('form')({
  width: 460,
  maxWidth: '100vw',
  height: '100%',
  display: 'flex',
  flexDirection: 'column',
  '& > header': {
    flex: 'none',
    display: 'flex',
    alignItems: 'center',
    height: 52,
    padding: '0 12px 0 16px',
    borderBottom: '1px solid var(--line)',
    '& h2': { flex: '1 1 auto', fontSize: 16, fontWeight: 600, color: 'var(--text-strong)' },
  },
  '& > .subject': {
    flex: 'none',
    padding: '6px 16px',
    background: 'var(--id-bg)',
    borderBottom: '1px solid var(--id-line)',
    color: 'var(--id-text)',
    fontWeight: 600,
  },
  '& > .body': { flex: '1 1 auto', minHeight: 0, overflow: 'auto', padding: '12px 16px' },
  '& > footer': {
    flex: 'none',
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    padding: '10px 16px',
    borderTop: '1px solid var(--line)',
    background: 'var(--surface-2)',
  },
  '& fieldset': { margin: '0 0 16px', padding: 0, border: 0, minWidth: 0 },
  '& legend': { padding: '0 0 4px', fontSize: 11, fontWeight: 600, color: 'var(--text-2)' },
  '& .option': { display: 'flex', alignItems: 'baseline', gap: 8 },
  '& .option small': { fontSize: 11, color: 'var(--text-3)' },
  '& .option b': { display: 'inline-block', minWidth: 72, fontWeight: 600 },
  '& .error': { display: 'flex', alignItems: 'center', gap: 4, color: 'var(--error)', marginRight: 'auto' },
})

interface AddTestsFormProps {
  requisitionId: number
  subject: string
  onClose: () => void
}

/** The side form 'Add Tests': panels and single tests, at least one of either. */
export const AddTestsForm = ({ requisitionId, subject, onClose }: AddTestsFormProps) => {
  const id = useId()
  const params = { id: requisitionId }
  const panels = useQuery(read(reqTestRoutes.panels, { params }))
  const singles = useQuery(read(reqTestRoutes.singleTests, { params }))
  const [panelIds, setPanelIds] = useState<readonly number[]>([])
  const [testIds, setTestIds] = useState<readonly number[]>([])
  const [isBusy, setBusy] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const add = useSave(reqTestRoutes.add)
  const submit = async (event: React.FormEvent) => {
    event.preventDefault()
    if (panelIds.length + testIds.length === 0) return setMissing(true)
    setBusy(true)
    try {
      await add({ params, body: { panelIds: [...panelIds], testIds: [...testIds] } })
      onClose()
    } catch {
      setBusy(false) // announced by the save; the selection stays
    }
  }
  const failure = panels.error ?? singles.error
  return (
    <Drawer anchor="right" open onClose={onClose} slotProps={{ paper: { 'aria-labelledby': id, role: 'dialog' } }}>
      <Sheet onSubmit={submit} noValidate onChange={() => setMissing(false)}>
        <header>
          <h2 id={id}>Add Tests</h2>
          <IconButton aria-label="Close" onClick={onClose}>
            <CloseIcon />
          </IconButton>
        </header>
        <div className="subject">{subject}</div>
        <div className="body">
          {panels.data && singles.data ? (
            <>
              <Options
                legend="Panels"
                options={panels.data.data.map(({ panelId, panelCode, panelDesc, testCodes, isOrdered }) => ({
                  id: panelId,
                  code: panelCode,
                  text: panelDesc,
                  note: testCodes.join(', '),
                  isOrdered: isOrdered === 1,
                }))}
                chosen={panelIds}
                onChange={setPanelIds}
              />
              <Options
                legend="Single tests"
                options={singles.data.data.map(({ testId, testCode, testDesc, isOrdered }) => ({
                  id: testId,
                  code: testCode,
                  text: testDesc,
                  isOrdered: isOrdered === 1,
                }))}
                chosen={testIds}
                onChange={setTestIds}
              />
            </>
          ) : failure ? (
            <ErrorState
              title={messages.listFailed}
              onRetry={() => Promise.all([panels.refetch(), singles.refetch()])}
            />
          ) : (
            <LoadingState label="Data loading" />
          )}
        </div>
        <footer>
          <span className="error" role="alert">
            {isMissing && (
              <>
                <ErrorIcon size={14} />
                {messages.testsMissing}
              </>
            )}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton type="submit" variant="contained" color="primary" isBusy={isBusy}>
            Add
          </ActionButton>
        </footer>
      </Sheet>
    </Drawer>
  )
}

interface OptionsProps {
  legend: string
  options: readonly { id: number; code: string; text: string; note?: string; isOrdered: boolean }[]
  chosen: readonly number[]
  onChange: (ids: readonly number[]) => void
}

const Options = ({ legend, options, chosen, onChange }: OptionsProps) => (
  <fieldset>
    <legend>{legend}</legend>
    {options.map(({ id, code, text, note, isOrdered }) => (
      <div key={id}>
        <Checkbox
          checked={isOrdered || chosen.includes(id)}
          disabled={isOrdered}
          onChange={() => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])}
          label={
            <span className="option">
              <b>{code}</b>
              <span>
                {text} {(note || isOrdered) && <small>{isOrdered ? 'ordered' : note}</small>}
              </span>
            </span>
          }
        />
      </div>
    ))}
  </fieldset>
)
