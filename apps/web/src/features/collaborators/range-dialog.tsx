import type { CollaboratorRange } from '@lis/contract/collaborator-ranges.ts'
import { collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { RangeForm } from './range-form.tsx'

interface RangeDialogProps {
  collaboratorId: number
  /** The existing ranges: a test has at most one. */
  ranges: readonly CollaboratorRange[]
  /** The range to edit; undefined for a new one. */
  range?: CollaboratorRange | undefined
  onClose: () => void
}

/** 'Add test', also for editing an existing range. */
export const RangeDialog = ({ collaboratorId, ranges, range, onClose }: RangeDialogProps) => {
  const id = useId()
  const [isBusy, setBusy] = useState(false)
  const tests = useQuery(read(lookupRoutes.defaultTests, { query: {} }))
  const save = useSaveRange(collaboratorId, range)
  const submit: Parameters<typeof RangeForm>[0]['onSubmit'] = async (values, version) => {
    setBusy(true)
    try {
      await save(values, version)
      onClose()
    } finally {
      setBusy(false)
    }
  }
  const isFree = ({ testId }: { testId: number }) =>
    testId === range?.testId || !ranges.some((other) => other.testId === testId)
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}-title`} slotProps={{ paper: { sx: { maxWidth: 460 } } }}>
      <DialogTitle id={`${id}-title`}>{range ? range.testDesc : 'Add test'}</DialogTitle>
      <DialogContent sx={{ minHeight: 320, display: 'flex', flexDirection: 'column' }}>
        {tests.data ? (
          <RangeForm
            id={id}
            tests={tests.data.data.filter(isFree)}
            values={range}
            version={range?.version}
            onSubmit={submit}
          />
        ) : tests.error ? (
          <ErrorState title={messages.listFailed} onRetry={() => tests.refetch()} />
        ) : (
          <LoadingState label="Data loading" />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton type="submit" form={id} variant="contained" isBusy={isBusy} disabled={!tests.data}>
          {range ? 'Update' : 'Add test'}
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}

const useSaveRange = (collaboratorId: number, range: CollaboratorRange | undefined) => {
  const add = useSave(collaboratorRoutes.addRanges)
  const update = useSave(collaboratorRoutes.updateRange)
  return async (...[values, version]: Parameters<Parameters<typeof RangeForm>[0]['onSubmit']>): Promise<unknown> =>
    range
      ? update({
          params: { id: collaboratorId, rangeId: range.id },
          body: values,
          headers: ifMatch(version),
        })
      : add({ params: { id: collaboratorId }, body: { colaRanges: [values] } })
}
