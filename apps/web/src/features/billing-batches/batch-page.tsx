import { can } from '@lis/contract/access/permissions.ts'
import { type BillingBatch, batchLabels, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { addSort, setSort } from '@lis/contract/kit/list-query.ts'
import { messages } from '@lis/contract/messages.ts'
import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { toListQuery, withFilter } from '../../lib/list-address.ts'
import { useRole } from '../../lib/session.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { useColumns } from '../../ui/list-page/use-columns.tsx'
import { useList } from '../../ui/list-page/use-list.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { useNotify } from '../../ui/notices.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { splitFilters } from '../../ui/smart-views/smart-filter.ts'
import { useAddressCheck } from '../../ui/smart-views/use-address-check.ts'
import { Table } from '../../ui/table/table.tsx'
import { TableFooter } from '../../ui/table/table-footer.tsx'
import { useRowSelection } from '../../ui/table/table-model.ts'
import { EmptyTable, LoadFailed } from '../../ui/table/table-states.tsx'
import { useVisible } from '../../ui/table/use-visible.ts'
import { batchColumns } from './batch-columns.tsx'
import { BatchDetails } from './batch-details.tsx'
import { CancelBatch, SendBatch } from './batch-writes.tsx'
import { BillingDateFilter, billingDate } from './billing-date-filter.tsx'
import { CreateBatch } from './create-batch.tsx'
import { useBatchDownload } from './use-batch-download.ts'

const Head = styled('div')({ display: 'contents', '& > header': { position: 'relative' } })
const Filters = styled('div')(({ theme }) => ({
  position: 'relative',
  flex: 'none',
  display: 'flex',
  alignItems: 'flex-start',
  gap: 8,
  padding: '8px 16px',
  '& > .date': { width: 260 },
  // Aligned with the input, below its label; a message under the input does not move it.
  '& > button': { flex: 'none', marginTop: 18 },
  [theme.breakpoints.down('sm')]: { padding: '8px 12px', '& > .date': { flex: '1 1 auto' } },
}))

const screen = 'billing/batch'
const label = 'Billing batches'
/** Only in addresses that the product makes, as the one of Home. */
const sendStatus: FieldDef = {
  name: 'sendStatusCode',
  label: batchLabels.sendStatusDesc,
  kind: 'lookupMultiSelect',
}
const filterFields = [billingDate, sendStatus]
const labelOf = (id: string) => filterFields.find(({ name }) => name === id)?.label
const defaults = { perPage: 25, perPageOptions: [25, 50, 75, 100] }
const idOf = ({ id }: BillingBatch) => String(id)
const nameOf = ({ id }: BillingBatch) => `Batch ${id}`
const details = (batch: BillingBatch) => <BatchDetails batch={batch} />

interface BatchPageProps {
  title: string
  /** The tabs of the requisition list, of which this is one. */
  above: ReactNode
}

/** The billing batches with their requisitions; billing users have no other screen. */
export const BatchPage = ({ title, above }: BatchPageProps) => {
  const role = useRole()
  const state = useListState(screen, defaults)
  const { address: requested, change } = state
  useAddressCheck(requested, filterFields, change)
  const address = useMemo(
    () => ({ ...requested, filters: splitFilters(filterFields, requested.filters).known }),
    [requested],
  )
  const [frame, isVisible] = useVisible<HTMLDivElement>(true)
  const list = useList(billingBatchRoutes.list, undefined, address, isVisible && state.isReady)
  const selection = useRowSelection(list.rows, idOf)
  const download = useBatchDownload()
  const [sending, setSending] = useState<BillingBatch | null>(null)
  const [cancelled, setCancelled] = useState<BillingBatch | null>(null)
  const columns = useMemo(
    () => batchColumns({ onSend: setSending, onCancel: setCancelled, onDownload: ({ id }) => void download.one(id) }),
    [download.one],
  )
  const control = useColumns(screen, columns, state, label)
  const range = address.filters.find(({ id }) => id === billingDate.name)
  const isEmpty = list.rows?.length === 0
  useNoneFound(isEmpty && !list.isBusy && address.filters.length === 0)
  return (
    <>
      <Head>
        <PageHeader title={title} action={can(role, 'billingBatches.run') && <CreateBatch />} />
      </Head>
      {above}
      <Filters role="group" aria-label="Filters">
        <BillingDateFilter
          value={String(range?.value ?? '')}
          onChange={(value) =>
            change({ filters: withFilter(address.filters, { id: billingDate.name, value, viewValue: value }) })
          }
        />
        <ActionButton
          startIcon={<DownloadIcon />}
          isBusy={download.isBusy}
          onClick={() => download.many(selection.rows)}
        >
          Bulk Download
        </ActionButton>
        <span style={{ flex: '1 1 0' }} />
        {control.button}
        {control.panel}
      </Filters>
      <Table
        ref={frame}
        label={label}
        columns={control.shown}
        rows={list.rows}
        rowId={idOf}
        rowName={nameOf}
        renderSubTable={details}
        sort={address.sort}
        onSort={(field, isFurther) =>
          change({ sort: (isFurther ? addSort : setSort)(toListQuery(address), field).sort })
        }
        onResize={control.resize}
        selection={selection}
        isBusy={list.isBusy}
        skeletonRows={10}
        state={
          list.error ? (
            <LoadFailed error={list.error} onRetry={list.retry} />
          ) : isEmpty ? (
            <EmptyTable
              itemName="billing batch"
              filters={address.filters.map(({ id, viewValue }) => `${labelOf(id)}: ${viewValue}`)}
              onClearAll={() => change({ filters: [] })}
            />
          ) : undefined
        }
      />
      <TableFooter
        paging={{
          page: address.page,
          perPage: address.perPage,
          perPageOptions: defaults.perPageOptions,
          total: list.error ? undefined : list.total,
          onPage: (page) => change({ page }),
          onPerPage: (perPage) => change({ perPage }),
          onPrefetch: list.fetchAhead,
        }}
        isLoading={!list.error && list.rows === undefined}
        selected={selection.rows}
        onClearSelection={selection.clear}
        bulkActions={[{ label: 'Bulk Download', Glyph: DownloadIcon, tone: 'main', run: download.many }]}
      />
      <SendBatch batch={sending} onClose={() => setSending(null)} />
      {cancelled && <CancelBatch batch={cancelled} onClose={() => setCancelled(null)} />}
    </>
  )
}

/** Announced once, when the list is loaded and empty. */
const useNoneFound = (isNone: boolean) => {
  const notify = useNotify()
  useEffect(() => {
    if (isNone) notify.info(messages.batchesMissing)
  }, [isNone, notify])
}
