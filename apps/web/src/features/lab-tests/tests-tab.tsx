import { can } from '@lis/contract/access/permissions.ts'
import type { Filters } from '@lis/contract/kit/list-query.ts'
import { type ReqTest, reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { canEditTests, canModifyTest, isEditable, type StatusCode } from '@lis/contract/requisitions/status.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { PencilIcon } from '../../domain/result-grid/grid-icons.tsx'
import { ResultGrid, useReqTests } from '../../domain/result-grid/result-grid.tsx'
import { call } from '../../lib/api.ts'
import { useRole } from '../../lib/session.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DownloadIcon, RetryIcon } from '../../ui/icons.tsx'
import { KeyNames } from '../../ui/key-help.tsx'
import { exportFailure, exportOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { isCancelled } from '../../ui/table/read-list.ts'
import { PlusIcon, TrashIcon } from '../../ui/table/table-icons.tsx'
import { AddTestsForm } from './add-tests-form.tsx'
import { TestFilters } from './test-filters.tsx'
import { useTestActions } from './use-test-actions.tsx'

const Frame = styled('section')(({ theme }) => ({
  flex: '1 1 auto',
  minHeight: 0,
  display: 'flex',
  flexDirection: 'column',
  margin: '-12px -16px',
  background: 'var(--surface)',
  // Below the header and the tabs, so that the grid's header stays visible while its rows scroll.
  maxHeight: 'calc(100dvh - 84px)',
  [theme.breakpoints.down('sm')]: { margin: -12, maxHeight: 'none' },
}))
const Bar = styled('div')(({ theme }) => ({
  flex: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  padding: '8px 16px',
  '& .grow': { flex: '1 1 auto' },
  '& .keys': { display: 'flex', alignItems: 'center', gap: 6, color: 'var(--text-3)' },
  '& kbd': {
    padding: '0 4px',
    border: '1px solid var(--line-strong)',
    borderRadius: 3,
    background: 'var(--surface-2)',
    font: 'inherit',
    fontSize: 11,
    lineHeight: '14px',
    whiteSpace: 'nowrap',
    '&:not(:first-of-type)': { marginLeft: 6 },
  },
  [theme.breakpoints.down('lg')]: { '& .keys': { display: 'none' } },
  [theme.breakpoints.down('sm')]: { padding: '8px 12px' },
}))
const BulkBar = styled('div')({
  flex: 'none',
  marginTop: 'auto',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  padding: '0 16px',
  borderTop: '1px solid var(--p-200)',
  background: 'var(--selected)',
  '& b': { marginRight: 4, fontWeight: 600, color: 'var(--p)' },
})

/** The widget 'Tests': the ordered tests, their results, and all actions on them. */
export const TestsTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const role = useRole()
  const status = requisition.reqStatusCode as StatusCode
  const mayEdit = canEditTests(role, status)
  const [filters, setFilters] = useState<Filters>({})
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [isAdding, setAdding] = useState(false)
  const { data } = useReqTests(requisition.id, filters)
  const rows = (data?.data ?? []).filter(({ id }) => selected.has(id))
  const subject = requisitionTitle(requisition)
  const actions = useTestActions(requisition.id, subject, () => setSelected(new Set()))
  const isModifiable = mayEdit && canModifyTest(status) && rows.length > 0 && rows.every(isFinished)
  return (
    <Frame aria-label="Tests">
      <Bar>
        {mayEdit && (
          <>
            <Button variant="contained" color="primary" startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
              Add Tests
            </Button>
            <ActionButton
              startIcon={<PencilIcon />}
              disabled={!isModifiable}
              isBusy={actions.isBusy}
              onClick={() => actions.start('modify', rows)}
            >
              Modify
            </ActionButton>
          </>
        )}
        {can(role, 'tests.export') && <ExportProcessedTest requisitionId={requisition.id} />}
        <TestFilters filters={filters} onChange={setFilters} />
        <span className="grow" />
        {mayEdit && canModifyTest(status) && (
          <span className="keys">
            <kbd>
              <KeyNames keys="up down left right" />
            </kbd>
            move<kbd>Enter</kbd>next<kbd>Esc</kbd>undo<kbd>Ctrl V</kbd>fills the column
          </span>
        )}
      </Bar>
      <ResultGrid
        requisitionId={requisition.id}
        filters={filters}
        codesAreOpen={isEditable(status)}
        toChange={can(role, 'tests.edit') ? howToChange(status) : undefined}
        {...(mayEdit && { selection: { selected, onChange: setSelected } })}
        {...(rows.length > 0 && {
          footer: (
            <BulkBar>
              <b>{rows.length} selected</b>
              <Button startIcon={<RetryIcon />} disabled={!isModifiable} onClick={() => actions.start('retest', rows)}>
                Retest
              </Button>
              <Button color="error" startIcon={<TrashIcon />} onClick={() => actions.start('remove', rows)}>
                Delete
              </Button>
            </BulkBar>
          ),
        })}
      />
      {isAdding && <AddTestsForm requisitionId={requisition.id} subject={subject} onClose={() => setAdding(false)} />}
      {actions.dialog}
    </Frame>
  )
}

const howToChange = (status: StatusCode) =>
  canModifyTest(status) ? 'choose Modify or Retest to change it' : 'set the status to Processing to change it'

/** Has a result or a fail code, and is not calculated. */
const isFinished = ({ isCalculated, isRetest, isResulted, testFailCodes }: ReqTest) =>
  isCalculated === 0 && isRetest === 0 && (isResulted === 1 || testFailCodes.length > 0)

const ExportProcessedTest = ({ requisitionId }: { requisitionId: number }) => {
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(reqTestRoutes.export, { params: { id: requisitionId }, query: {} }),
    onSuccess: (reply) => finishDownload(exportOutcome(reply)),
    onError: (error) => isCancelled(error) || finishDownload(exportFailure(error)),
  })
  return (
    <ActionButton startIcon={<DownloadIcon />} isBusy={isPending} onClick={() => mutate()}>
      Export Processed Test
    </ActionButton>
  )
}
