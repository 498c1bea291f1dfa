import { documentRoutes } from '@lis/contract/documents.ts'
import { type Report, reportRoutes } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { call } from '../../lib/api.ts'
import { sendToStorage, type UploadContext } from '../../lib/send-to-storage.ts'
import { useSave } from '../../lib/use-save.ts'
import { documentRules, type FileRules } from '../../ui/upload/file-rules.ts'
import { UploadDialog } from '../../ui/upload/upload-dialog.tsx'
import { usePatientCheck } from './use-patient-check.tsx'

const reportRules: FileRules = { ...documentRules, kinds: ['PDF'] }

/** Requests a slot, uploads the file, and returns the two names to register it. */
const storeReportFile = async (requisitionId: number, file: File, context: UploadContext) => {
  const { data } = await call(documentRoutes.upload, {
    params: { id: requisitionId },
    body: { fileName: file.name, docTypeCode: 'REPORT' },
    signal: context.signal,
  })
  await sendToStorage(data, file, context)
  return { reportFileName: data.newFileName, reportOriginalFileName: file.name }
}

interface UploadReportProps {
  requisition: RequisitionDetail
  onClose: () => void
}

export const UploadReport = ({ requisition, onClose }: UploadReportProps) => {
  const register = useSave(reportRoutes.add, { failure: 'error' })
  const { sendAsking, question } = usePatientCheck(requisitionTitle(requisition))
  const upload = async (file: File, context: UploadContext) => {
    const body = await storeReportFile(requisition.id, file, context)
    await sendAsking((decision) => register({ params: { id: requisition.id }, body: { ...body, decision } }))
  }
  return (
    <>
      <UploadDialog
        title="Upload Report"
        before={<p>{requisitionTitle(requisition)}</p>}
        rules={reportRules}
        upload={upload}
        onClose={onClose}
      />
      {question}
    </>
  )
}

/** Uploads the corrected version as a file created elsewhere. */
export const UploadCorrection = ({
  requisition,
  report,
  reason,
  onClose,
}: UploadReportProps & { report: Report; reason: string }) => {
  const register = useSave(reportRoutes.correct, { failure: 'error' })
  const { sendAsking, question } = usePatientCheck(requisitionTitle(requisition))
  const upload = async (file: File, context: UploadContext) => {
    const names = await storeReportFile(requisition.id, file, context)
    const params = { reqID: requisition.id, reportID: report.id }
    const body = { correctionReason: reason, version: report.version, ...names }
    await sendAsking((decision) => register({ params, body: { ...body, decision } }))
  }
  return (
    <>
      <UploadDialog
        title="Upload the corrected report"
        before={<p>{requisitionTitle(requisition)}</p>}
        rules={reportRules}
        upload={upload}
        onClose={onClose}
      />
      {question}
    </>
  )
}
