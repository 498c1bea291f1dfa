import { can } from '@lis/contract/access/permissions.ts'
import { type RequisitionDetail, requisitionDetailRoutes } from '@lis/contract/requisitions/detail.ts'
import {
  labelSuffixes,
  parseScannedCode,
  type ScannedCode,
  type Specimen,
  specimenRoutes,
} from '@lis/contract/specimens.ts'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { PrintLabelsButton } from '../../domain/print-labels.tsx'
import { specimenColumns } from '../../domain/specimen-columns.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useLatestRequest } from '../../lib/use-latest-request.ts'
import { Card } from '../../ui/card.tsx'
import { replacesForm } from '../../ui/form/leave-guard.tsx'
import { EditIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { CardScroll } from '../../ui/table/card-scroll.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Table } from '../../ui/table/table.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { AddSpecimenForm } from './add-specimen-form.tsx'
import { CorrectSpecimenDialog } from './correct-specimen-dialog.tsx'
import { ScanBox } from './scan-box.tsx'
import { SpecimenHistoryCard } from './specimen-history-card.tsx'

const Columns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 12,
  alignItems: 'start',
  '&.withForm': { gridTemplateColumns: 'minmax(0, 1fr) 360px' },
  '& > .main': { display: 'flex', flexDirection: 'column', gap: 12, minWidth: 0 },
  // On phones the header above has the same button.
  [theme.breakpoints.down('sm')]: { '& .print': { display: 'none' } },
  [theme.breakpoints.down('md')]: {
    '&.withForm': { gridTemplateColumns: 'minmax(0, 1fr)' },
    '& > aside': { gridRow: 1 },
  },
}))
const actionsColumn = (onCorrect: (specimen: Specimen) => void): Column<Specimen> => ({
  key: 'actions',
  header: 'Actions',
  width: 72,
  isSticky: 'right',
  card: 'head',
  cell: (specimen) => (
    <IconButton
      size="small"
      aria-label={`Correct the receipt of ${nameOf(specimen)}`}
      onClick={() => onCorrect(specimen)}
    >
      <EditIcon />
    </IconButton>
  ),
})

const idOf = ({ id }: Specimen) => String(id)
const nameOf = ({ specimenTypeDesc, containerTypeDesc }: Specimen) => `${specimenTypeDesc}, ${containerTypeDesc}`
const emptyTable = <EmptyState title="Empty Table">No specimen has been received for this requisition yet.</EmptyState>

/** The received specimens of a requisition, and their history. */
export const SpecimensTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id } = requisition
  const mayAdd = can(useRole(), 'specimens.add')
  const { data, error, refetch, isFetching } = useQuery(readList(specimenRoutes.list, { id }, allRows))
  const { receipt, scanned, isOpen, open, close, receive } = useReceipt(id)
  const scanRef = useRef<HTMLInputElement>(null)
  const [corrected, setCorrected] = useState<Specimen | null>(null)
  const columns = useMemo(
    () => (mayAdd ? [...specimenColumns, actionsColumn(setCorrected)] : specimenColumns),
    [mayAdd],
  )
  return (
    <Columns className={isOpen && mayAdd ? 'withForm' : undefined}>
      <div className="main">
        <Card
          title="Specimens"
          actions={
            mayAdd && (
              <>
                <PrintLabelsButton requisition={requisition} />
                <ScanBox ref={scanRef} onScan={receive} />
                <Button variant="contained" startIcon={<PlusIcon />} disabled={isOpen} onClick={open}>
                  Add Specimen
                </Button>
              </>
            )
          }
        >
          <CardScroll>
            <Table
              label="Specimens"
              columns={columns}
              rows={data?.data}
              rowId={idOf}
              rowName={nameOf}
              isBusy={isFetching}
              skeletonRows={3}
              state={
                error ? <LoadFailed error={error} onRetry={() => refetch()} /> : data?.data.length === 0 && emptyTable
              }
            />
          </CardScroll>
        </Card>
        <SpecimenHistoryCard requisitionId={id} />
      </div>
      {corrected && (
        <CorrectSpecimenDialog requisition={requisition} specimen={corrected} onClose={() => setCorrected(null)} />
      )}
      {isOpen && mayAdd && (
        <aside>
          <AddSpecimenForm
            key={receipt}
            requisition={requisition}
            scanned={scanned}
            onClose={() => {
              if (close(receipt)) scanRef.current?.focus()
            }}
          />
        </aside>
      )}
    </Columns>
  )
}

const parameter = 'receive'

/**
 * The open receipt is in the address, so that scanning a label of another requisition can open its page and the form there: `?receive=`
 * with the label's suffix, or empty.
 */
const useReceipt = (requisitionId: number) => {
  const [params, setParams] = useSearchParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const notify = useNotify()
  const begin = useLatestRequest()
  const suffix = params.get(parameter)
  const receipt = suffix === null ? null : `${requisitionId}${suffix}`
  const opened = useRef<string | null>(null)
  useEffect(() => {
    opened.current = receipt
    return () => {
      opened.current = null
    }
  }, [receipt])
  const scanned: ScannedCode | null =
    suffix !== null && labelSuffixes.some((known) => known === suffix)
      ? parseScannedCode(`${requisitionId}${suffix}`)
      : null
  const set = (value: string | null) => {
    const isOther = suffix !== null && value !== null && value !== suffix
    setParams(
      (before) => {
        if (value === null) before.delete(parameter)
        else before.set(parameter, value)
        return before
      },
      { replace: true, ...(isOther && { state: replacesForm }) },
    )
  }
  return {
    receipt,
    scanned,
    isOpen: suffix !== null,
    open: () => set(''),
    /** Closes this receipt only: the next label may have been scanned while this one was being saved. */
    close: (which: string | null) => {
      const isOpen = opened.current === which
      if (isOpen) set(null)
      return isOpen
    },
    receive: async ({ reqId, suffix: scannedSuffix }: ScannedCode) => {
      const next = scannedSuffix ?? ''
      const isNewest = begin()
      if (reqId === requisitionId) return set(next)
      try {
        // Checked first: a misread code must not leave the page into which the next tube is scanned.
        await client.fetchQuery(read(requisitionDetailRoutes.one, { params: { id: reqId } }))
        if (isNewest()) navigate(`/requisitions/${reqId}/show/specimens?${parameter}=${next}`)
      } catch (error) {
        const isUnknown = error instanceof ApiError && error.status === 404
        notify.warning(isUnknown ? `There is no requisition #${reqId} that you can open.` : (error as Error).message)
      }
    },
  }
}
