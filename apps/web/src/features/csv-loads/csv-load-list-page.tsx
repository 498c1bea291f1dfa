import { type CsvLoad, type CsvLoadError, csvLoadLabels, csvLoadRoutes } from '@lis/contract/csv-loads.ts'
import { useQuery } from '@tanstack/react-query'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { Column } from '../../ui/table/column.ts'
import { readList } from '../../ui/table/read-list.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { BatchDataLoad } from './batch-data-load.tsx'
import { csvLoadColumns, csvLoadFilters } from './csv-load-columns.tsx'
import { DownloadButton } from './download-button.tsx'

const nameOf = ({ id, loadFileTypeDesc }: CsvLoad) => `Upload ${id} (${loadFileTypeDesc})`
const errorsOf = (load: CsvLoad) => <LoadErrors load={load} />

export const CsvLoadListPage = () => {
  useQuery({
    ...readList(csvLoadRoutes.list, undefined, firstPage),
    // The first page of the list, read again while one of its files is being loaded.
    refetchInterval: ({ state }) =>
      state.data?.data.some((load) => load.state === 'INIT' || load.state === 'RUNNING') ? pollMs : false,
  })
  return (
    <ListPage
      title="Batch CSV Upload"
      screen="bulk_csv_uploader"
      itemName="upload"
      route={csvLoadRoutes.list}
      columns={csvLoadColumns}
      filters={csvLoadFilters}
      rowName={nameOf}
      renderSubTable={errorsOf}
      above={<BatchDataLoad />}
    />
  )
}

const firstPage = { page: 1, perPage: 10, filters: {}, sort: null }
const pollMs = 1500

const columns: readonly Column<CsvLoadError>[] = [
  { key: 'id', header: csvLoadLabels.errorId, cell: ({ id }) => id },
  { key: 'loadErrorDesc', header: csvLoadLabels.loadErrorDesc, cell: ({ loadErrorDesc }) => loadErrorDesc },
]
const idOf = ({ id }: CsvLoadError) => String(id)
const firstErrors = { page: 1, perPage: 500, filters: {}, sort: null }

/** The errors of a load, and the failed rows as a download. */
const LoadErrors = ({ load }: { load: CsvLoad }) => (
  <SubTable
    title={`Load errors of ${load.originalFileName}`}
    note={() => load.message ?? ''}
    level={2}
    columns={columns}
    route={csvLoadRoutes.errors}
    params={{ uploadId: load.id }}
    query={firstErrors}
    rowId={idOf}
    actions={
      load.errorCount > 0 && (
        <DownloadButton route={csvLoadRoutes.errorFile} params={{ uploadId: load.id }}>
          Download failed rows
        </DownloadButton>
      )
    }
    footer={(total) =>
      total > firstErrors.perPage && (
        <div className="line">
          The first {firstErrors.perPage} of {total} errors; all of them are in the file of failed rows.
        </div>
      )
    }
  />
)
