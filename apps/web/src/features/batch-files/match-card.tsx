import { batchFileLabels, batchFileRoutes, type HeldFile, type HeldFileDetail } from '@lis/contract/batch-files.ts'
import { messages } from '@lis/contract/messages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Comparison } from '../../domain/comparison.tsx'
import { read } from '../../lib/query.ts'
import { useDebounced } from '../../lib/use-lookup.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { DeletedBanner } from '../../ui/form/record-page.tsx'
import { MultilineInput, TextInput } from '../../ui/form/text-input.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'

const Text = styled('pre')({
  maxHeight: 260,
  overflow: 'auto',
  margin: '12px 0',
  padding: 8,
  border: '1px solid var(--line)',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface-2)',
  fontSize: 12,
  whiteSpace: 'pre-wrap',
})
const Decision = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '180px minmax(0, 1fr)',
  gap: 12,
  [theme.breakpoints.down('sm')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
const Actions = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 12 })

const debounceMs = 300

/** The input for one file. */
export interface MatchInput {
  wanted: string
  reason: string
}
export const initialInput = ({ reqId }: HeldFile): MatchInput => ({
  wanted: reqId === null ? '' : String(reqId),
  reason: '',
})

interface MatchCardProps {
  file: HeldFile
  typed: MatchInput
  onInput: (typed: MatchInput) => void
}

/** One held file: its data beside the record, its text, and the decision with its reason. */
export const MatchCard = ({ file, typed: { wanted, reason }, onInput }: MatchCardProps) => {
  const typed = (/^\d{1,12}$/.test(wanted.trim()) && Number(wanted)) || undefined
  // Debounced: a half-typed number may be that of another patient.
  const reqId = useDebounced(typed, debounceMs)
  const query = useQuery({
    ...read(batchFileRoutes.heldOne, { params: { fileId: file.id }, query: reqId === undefined ? {} : { reqId } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const { data, error, isPlaceholderData, refetch } = query
  const detail = data?.data
  if (!detail)
    return error ? <LoadFailed error={error} onRetry={() => refetch()} /> : <LoadingState label="Data loading" />
  // While the number changes the previous record is still on screen: nothing may be filed by its name.
  const isUnknown = error !== null || reqId === undefined || reqId !== typed || isPlaceholderData
  return (
    <Card
      title={file.reportOriginalFileName}
      actions={
        <Button component="a" href={detail.url} target="_blank" rel="noreferrer">
          Open file
        </Button>
      }
    >
      <DeletedBanner query={query} />
      <Comparison
        compared={
          isUnknown ? detail.compared.map((row) => ({ ...row, record: null, outcome: 'missing' })) : detail.compared
        }
      />
      <Text tabIndex={0} aria-label="Text of the file">
        {detail.text || 'No text could be read in this file. Please open it.'}
      </Text>
      <Decide
        file={file}
        wanted={wanted}
        onWanted={(value) => onInput({ wanted: value, reason })}
        reason={reason}
        onReason={(value) => onInput({ wanted, reason: value })}
        record={isUnknown ? null : detail.record}
        numberFault={isUnknown || detail.record ? undefined : `There is no requisition #${reqId}`}
        onRefused={refetch}
      />
    </Card>
  )
}

const invalidates = [batchFileRoutes.held.path, batchFileRoutes.list.path, batchFileRoutes.files.path]

interface DecideProps {
  file: HeldFile
  wanted: string
  onWanted: (value: string) => void
  reason: string
  onReason: (value: string) => void
  record: HeldFileDetail['record']
  numberFault: string | undefined
  /** The notice shows the error; the record beside the file may have changed. */
  onRefused: () => unknown
}
type Choice = { decision: 'FILE'; reqId: number; seenPatientId: number } | { decision: 'REJECT' }

const Decide = ({ file, wanted, onWanted, reason, onReason, record, numberFault, onRefused }: DecideProps) => {
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState<'FILE' | 'REJECT'>()
  const save = useSave(batchFileRoutes.decide, { invalidates, isImmediate: true })
  const decide = async (choice: Choice) => {
    if (reason.trim() === '') return setError(messages.required(batchFileLabels.reason))
    setBusy(choice.decision)
    const body = { ...choice, reason }
    await save({ params: { fileId: file.id }, body, headers: ifMatch(file.version) }).catch(onRefused)
    setBusy(undefined)
  }
  return (
    <>
      <Decision>
        <TextInput
          field={{ name: 'reqId', label: batchFileLabels.reqId, kind: 'text' }}
          value={wanted}
          error={numberFault}
          onChange={(value) => onWanted(String(value))}
        />
        <MultilineInput
          field={{ name: 'reason', label: batchFileLabels.reason, kind: 'multiline', isRequired: true }}
          value={reason}
          error={error}
          onChange={(value) => {
            onReason(String(value))
            setError(undefined)
          }}
        />
      </Decision>
      <Actions>
        {/* Filed under the requisition shown, whatever is being typed. */}
        <ActionButton
          variant="contained"
          isBusy={busy === 'FILE'}
          disabled={!record}
          onClick={() => record && decide({ decision: 'FILE', reqId: record.reqId, seenPatientId: record.patientId })}
        >
          {record ? `File under #${record.reqId} | ${record.patientName} (${record.patientDob})` : 'File'}
        </ActionButton>
        <ActionButton color="error" isBusy={busy === 'REJECT'} onClick={() => decide({ decision: 'REJECT' })}>
          Reject
        </ActionButton>
      </Actions>
    </>
  )
}
