import { can } from '@lis/contract/access/permissions.ts'
import { batchFileRoutes, type ReportUpload } from '@lis/contract/batch-files.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { UploadIcon } from '../../ui/icons.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { readList } from '../../ui/table/read-list.ts'
import { uploadColumns, uploadFilters } from './batch-file-columns.tsx'
import { UploadBatchDialog } from './upload-batch-dialog.tsx'
import { UploadFiles } from './upload-files.tsx'

const nameOf = ({ id, batchTypeDesc }: ReportUpload) => `Upload ${id} (${batchTypeDesc})`
const filesOf = (upload: ReportUpload) => <UploadFiles upload={upload} />

export const BatchFileListPage = () => {
  const role = useRole()
  const mayFile = can(role, 'batchFiles.upload')
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  useQuery({
    ...readList(batchFileRoutes.list, undefined, firstPage),
    // The first page of the list, read again while files are being processed.
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ totalFilesPending }) => totalFilesPending > 0) ? pollMs : false,
  })
  return (
    <>
      <ListPage
        title="Batch File Upload"
        screen="bulk_report_uploader"
        itemName="upload"
        route={batchFileRoutes.list}
        columns={uploadColumns}
        filters={uploadFilters}
        rowName={nameOf}
        renderSubTable={filesOf}
        above={mayFile && <HeldFilesLink isPhone />}
        action={
          <>
            {mayFile && <HeldFilesLink isPhone={false} />}
            {can(role, 'documents.upload') && (
              <Button variant="contained" startIcon={<UploadIcon />} onClick={() => setOpen(true)}>
                Upload
              </Button>
            )}
          </>
        }
      />
      {isOpen && <UploadBatchDialog onClose={close} />}
    </>
  )
}

const firstPage = { page: 1, perPage: 10, filters: {}, sort: null }
const pollMs = 1500
const onPhones = { display: { sm: 'none' }, m: '8px 12px 0' }
const elsewhere = { display: { xs: 'none', sm: 'inline-flex' } }
const one = { page: 1, perPage: 1, filters: {}, sort: null }

/** The number of files to review. On phones it is below the title, which has no room for it. */
const HeldFilesLink = ({ isPhone }: { isPhone: boolean }) => {
  const { data } = useQuery(readList(batchFileRoutes.held, undefined, one))
  const count = data?.total ?? 0
  return (
    <Button
      component={Link}
      to="/test-reports-upload/matching"
      color={count > 0 ? 'error' : 'primary'}
      sx={isPhone ? onPhones : elsewhere}
    >
      Matching desk{count > 0 ? ` (${count})` : ''}
    </Button>
  )
}
