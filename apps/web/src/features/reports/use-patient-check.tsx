import { reportLabels as label, type ReportCheck, reportCheckDecision } from '@lis/contract/reports.ts'
import { useRef, useState } from 'react'
import { Comparison } from '../../domain/comparison.tsx'
import { ApiError, cancelledError } from '../../lib/api-error.ts'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

type Decision = { seenFinding: string; seenPatientId: number; reason: string }

interface Found {
  check: ReportCheck
  answer: (reason: string | null) => void
}

const schema = reportCheckDecision.pick({ reason: true })
const fields: FieldDef[] = [
  { name: 'reason', label: label.guardReason, kind: 'multiline', isRequired: true, isWide: true },
]

/**
 * Sends a report. If the file does not prove which patient it belongs to, shows its content beside the record and asks; with a reason it is
 * sent again with that decision, otherwise nothing is stored. If the finding has changed by then, it asks again.
 */
export const usePatientCheck = (subject: string) => {
  const [found, setFound] = useState<Found | null>(null)
  const sendChecked = async <T,>(send: (decision?: Decision) => Promise<T>): Promise<T> => {
    let decision: Decision | undefined
    for (;;) {
      try {
        return await send(decision)
      } catch (error) {
        const check = checkOf(error)
        if (!check) throw error
        const reason = await new Promise<string | null>((answer) => setFound({ check, answer }))
        setFound(null)
        if (reason === null) throw cancelledError(error)
        decision = { seenFinding: check.finding, seenPatientId: check.patientId, reason }
      }
    }
  }
  const question = found && <PatientCheckDialog key={found.check.finding} subject={subject} {...found} />
  return { sendAsking: sendChecked, question }
}

const checkOf = (error: unknown): ReportCheck | null =>
  error instanceof ApiError && error.status === 409 && error.errors[0]?.field === 'decision'
    ? (error.current as ReportCheck)
    : null

const PatientCheckDialog = ({ subject, check, answer }: Found & { subject: string }) => {
  const given = useRef<string | null>(null)
  return (
    <FormDialog
      title="Is this the report of this patient?"
      subject={subject}
      submitLabel="Keep this report"
      cancelLabel="Do not keep it"
      isSubmitRisky
      schema={schema}
      fields={fields}
      values={{ reason: '' }}
      onSubmit={async ({ reason }) => {
        given.current = reason
      }}
      onClose={() => answer(given.current)}
      intro={
        <>
          <Banner type="warning">{check.finding}</Banner>
          <Comparison compared={check.compared} />
        </>
      }
    />
  )
}
