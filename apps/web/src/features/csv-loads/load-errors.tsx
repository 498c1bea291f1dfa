import { type CsvLoad, type CsvLoadError, csvLoadLabels, csvLoadRoutes } from '@lis/contract/csv-loads.ts'
import type { Column } from '../../ui/table/column.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { DownloadButton } from './download-button.tsx'

const columns: readonly Column<CsvLoadError>[] = [
  { key: 'id', header: csvLoadLabels.errorId, cell: ({ id }) => id },
  { key: 'loadErrorDesc', header: csvLoadLabels.loadErrorDesc, cell: ({ loadErrorDesc }) => loadErrorDesc },
]
const idOf = ({ id }: CsvLoadError) => String(id)
const firstPage = { page: 1, perPage: 500, filters: {}, sort: null }

/** The errors of a load, and the failed rows as a download. */
export const LoadErrors = ({ load }: { load: CsvLoad }) => (
  <SubTable
    title={`Load errors of ${load.originalFileName}`}
    note={() => load.message ?? ''}
    level={2}
    columns={columns}
    route={csvLoadRoutes.errors}
    params={{ uploadId: load.id }}
    query={firstPage}
    rowId={idOf}
    actions={
      load.errorCount > 0 && (
        <DownloadButton route={csvLoadRoutes.errorFile} params={{ uploadId: load.id }}>
          Download failed rows
        </DownloadButton>
      )
    }
    footer={(total) =>
      total > firstPage.perPage && (
        <div className="line">
          The first {firstPage.perPage} of {total} errors; all of them are in the file of failed rows.
        </div>
      )
    }
  />
)
