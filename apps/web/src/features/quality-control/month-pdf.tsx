import type { QcStatus } from '@lis/contract/quality-control.ts'
import { qualityMonthRoutes } from '@lis/contract/quality-month.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { openFile } from '../../domain/open-file.ts'
import { useSave } from '../../lib/use-save.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { DownloadIcon } from '../../ui/icons.tsx'

const schema = qualityMonthRoutes.print.body.pick({ month: true })

/** The controls of an instrument in a month, to print for the signature of the director. */
export const MonthPdf = ({ status }: { status: QcStatus }) => {
  const [isAsking, setAsking] = useState(false)
  const print = useSave(qualityMonthRoutes.print, { isSilent: true, failure: 'error' })
  return (
    <>
      <Button startIcon={<DownloadIcon />} aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Month as PDF
      </Button>
      {isAsking && (
        <FormDialog
          title="Month as PDF"
          subject={status.instrumentName}
          submitLabel="Print"
          schema={schema}
          values={{ month: new Date().toISOString().slice(0, 7) }}
          fields={[
            {
              name: 'month',
              label: 'Month',
              kind: 'text',
              isRequired: true,
              hint: 'Year and month, such as 2026-03; all tests of the instrument, with a place for the signature of the director',
            },
          ]}
          onSubmit={async ({ month }) => {
            const { data } = await print({ body: { instrumentId: status.instrumentId, month } })
            openFile(data.url)
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
