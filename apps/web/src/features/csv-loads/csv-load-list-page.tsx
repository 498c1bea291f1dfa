import { type CsvLoad, csvLoadRoutes } from '@lis/contract/csv-loads.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { BatchDataLoad } from './batch-data-load.tsx'
import { csvLoadColumns, csvLoadFilters } from './csv-load-columns.tsx'
import { LoadErrors } from './load-errors.tsx'

const nameOf = ({ id, loadFileTypeDesc }: CsvLoad) => `Upload ${id} (${loadFileTypeDesc})`
const errorsOf = (load: CsvLoad) => <LoadErrors load={load} />

export const CsvLoadListPage = () => (
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
