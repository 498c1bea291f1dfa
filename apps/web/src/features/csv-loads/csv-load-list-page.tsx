import { type CsvLoad, csvLoadRoutes } from '@lis/contract/csv-loads.ts'
import { useQuery } from '@tanstack/react-query'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { readList } from '../../ui/table/read-list.ts'
import { BatchDataLoad } from './batch-data-load.tsx'
import { csvLoadColumns, csvLoadFilters } from './csv-load-columns.tsx'
import { LoadErrors } from './load-errors.tsx'

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
