import { can } from '@lis/contract/access/permissions.ts'
import type { Lab } from '@lis/contract/labs.ts'
import { inspectionPackRoutes, miscReportRoutes, periodError, reportPageLabels } from '@lis/contract/reports-pages.ts'
import { isoDate } from '@lis/contract/validation.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { z } from 'zod'
import { openFile } from '../../domain/open-file.ts'
import { call } from '../../lib/api.ts'
import { formatReportDate } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useJob } from '../../lib/use-job.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

/** Everything that an inspector asks for about a period, as one file. */
export const InspectionCard = ({ lab }: { lab: Lab }) =>
  can(useRole(), 'inspectionPacks.make') ? <Inspection lab={lab} /> : null

const Inspection = ({ lab }: { lab: Lab }) => {
  const [isOrdering, setOrdering] = useState(false)
  const [jobId, setJobId] = useState<string | null>(null)
  const [isOpening, whileOpening] = useBusy()
  const job = useJob(jobId)
  const isReady = job?.state === 'DONE'
  const hasFailed = job?.state === 'FAILED' || job?.state === 'CANCELLED'
  const isBeingMade = jobId !== null && !isReady && !hasFailed
  const download = async () =>
    openFile((await call(miscReportRoutes.made, { params: { id: jobId as string } })).data.url)
  return (
    <Card
      title="Inspector's pack"
      actions={
        <>
          <ActionButton isBusy={isBeingMade} onClick={() => setOrdering(true)}>
            Make pack
          </ActionButton>
          {isReady && (
            <Button disabled={isOpening} onClick={() => whileOpening(download)}>
              Download pack
            </Button>
          )}
        </>
      }
    >
      <p style={{ color: 'var(--text-2)' }}>
        One ZIP with the procedures in force, quality control, corrected reports, critical calls, turnaround,
        competency, access review and the validation report. The file is kept for one hour.
      </p>
      {isBeingMade && <Banner type="info">The pack is being prepared. Its download appears here.</Banner>}
      {hasFailed && <Banner type="error">{job?.message ?? 'The pack could not be made.'}</Banner>}
      {isOrdering && <OrderPack lab={lab} onOrdered={setJobId} onClose={() => setOrdering(false)} />}
    </Card>
  )
}

const fields: readonly FieldDef[] = [
  { name: 'fromDate', label: reportPageLabels.fromDate, kind: 'date', isRequired: true },
  { name: 'toDate', label: reportPageLabels.toDate, kind: 'date', isRequired: true },
]
const schema = z
  .object({ fromDate: isoDate(reportPageLabels.fromDate), toDate: isoDate(reportPageLabels.toDate) })
  .superRefine(({ fromDate, toDate }, context) => {
    const message = periodError(fromDate, toDate)
    if (message) context.addIssue({ code: 'custom', path: ['fromDate'], message })
  })

const yearBefore = (day: string) => `${Number(day.slice(0, 4)) - 1}${day.slice(4).replace('-02-29', '-02-28')}`

interface OrderProps {
  lab: Lab
  onOrdered: (jobId: string) => void
  onClose: () => void
}

const OrderPack = ({ lab, onOrdered, onClose }: OrderProps) => {
  const order = useSave(inspectionPackRoutes.make, { isSilent: true })
  const today = dayAt(Date.now(), lab.labTz)
  return (
    <FormDialog
      title="Inspector's pack"
      submitLabel="Make"
      columns={2}
      schema={schema}
      fields={fields}
      values={{ fromDate: yearBefore(today), toDate: today }}
      onSubmit={async ({ fromDate, toDate }) => {
        const body = { labId: lab.id, fromDate: formatReportDate(fromDate), toDate: formatReportDate(toDate) }
        onOrdered((await order({ body })).data.jobId)
      }}
      onClose={onClose}
    />
  )
}
