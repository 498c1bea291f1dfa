import { can } from '@lis/contract/access/permissions.ts'
import { formatFilter } from '@lis/contract/kit/list-query.ts'
import { mergeMessages, type PatientMerge, patientMergeRoutes } from '@lis/contract/patient-merges.ts'
import { type PatientRow, patientLabels, patientRoutes } from '@lis/contract/patients.ts'
import Button from '@mui/material/Button'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { call } from '../../lib/api.ts'
import { events } from '../../lib/events.ts'
import { formatLongDate, formatPhone } from '../../lib/formats.ts'
import { queryClient, read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { needsNotice } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { MergeDialog, mergeTitle } from './merge-dialog.tsx'

// Read again at every visit: somebody else may have merged meanwhile.
queryClient.setQueryDefaults([patientMergeRoutes.ofPatient.path], { staleTime: 0 })

const label = patientLabels

/** The record of a patient, and the records that were merged into it. */
export const PatientPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(patientRoutes.list, { query: { perPage: -1, filter: formatFilter({ id: String(id) }) } }))
  const [isMerging, setMerging] = useState(false)
  const client = useQueryClient()
  const notify = useNotify()
  const patient = query.data?.data[0]
  const role = useRole()
  return (
    <RecordPage
      title={patient ? `${patient.patientLastName}, ${patient.patientFirstName}` : 'Patient'}
      isWide
      action={patient && <Button onClick={() => setMerging(true)}>Merge</Button>}
    >
      <Loaded query={query}>
        {() =>
          patient ? (
            <>
              <Card title="Patient Information">
                <PatientFacts patient={patient} />
                {can(role, 'accessLog.read') && (
                  <Button variant="text" size="small" component={Link} to={`/patients/${patient.id}/access-log`}>
                    Who has seen this patient?
                  </Button>
                )}
              </Card>
              <MergesCard patientId={patient.id} />
            </>
          ) : (
            <MissingRecord />
          )
        }
      </Loaded>
      {isMerging && patient && (
        <MergeDialog
          patient={patient}
          onMerged={() => {
            setMerging(false)
            notify.info(mergeMessages.merged)
            void client.invalidateQueries()
          }}
          onClose={() => setMerging(false)}
        />
      )}
    </RecordPage>
  )
}

const PatientFacts = ({ patient }: { patient: PatientRow }) => (
  <InfoList
    items={[
      ['ID', String(patient.id)],
      [label.patientFirstName, patient.patientFirstName],
      [label.patientMiddleName, patient.patientMiddleName],
      [label.patientLastName, patient.patientLastName],
      [label.patientDob, formatLongDate(patient.patientDob)],
      [label.patientGenderCode, patient.patientGenderDesc],
      [label.patientSsn, patient.patientSsn],
      [label.patientAddr1, patient.patientAddr1],
      [label.patientCity, patient.patientCity],
      [label.patientStateId, patient.patientState],
      [label.patientZip, patient.patientZip],
      [label.patientEmail, patient.patientEmail],
      [label.patientHomePhone, formatPhone(patient.patientHomePhone)],
      ['Requisitions', String(patient.reqCount)],
    ]}
  />
)

const UndoMerge = ({ merge }: { merge: PatientMerge }) => {
  const [isBusy, whileBusy] = useBusy()
  const client = useQueryClient()
  const run = () =>
    whileBusy(async () => {
      try {
        const { message } = await call(patientMergeRoutes.undo, { params: { id: merge.id } })
        events.emit('notice', { type: 'success', message })
      } catch (error) {
        if (needsNotice(error))
          events.emit('notice', { type: 'warning', message: (error as Error).message, cause: error })
      }
      await client.invalidateQueries()
    })
  return (
    <ActionButton size="small" isBusy={isBusy} onClick={run}>
      Undo
    </ActionButton>
  )
}

const stateOf = ({ undoneBy, undoDate, canUndo }: PatientMerge) =>
  undoDate === null ? (canUndo ? null : 'Can no longer be undone') : `Undone by ${undoneBy ?? 'the system'}`

const columns: Column<PatientMerge>[] = [
  { key: 'gone', header: 'Record', width: 220, card: 'title', cell: (merge) => mergeTitle(merge) },
  { key: 'reqIds', header: 'Requisitions', width: 160, cell: ({ reqIds }) => reqIds.map((id) => `#${id}`).join(', ') },
  { key: 'mergeDate', header: 'Merged', width: 150, cell: ({ mergeDate }) => <Timestamp at={mergeDate} /> },
  { key: 'mergedBy', header: 'By', width: 130, cell: ({ mergedBy }) => mergedBy },
  {
    key: 'undo',
    header: 'Undo',
    width: 150,
    cell: (merge) => (merge.canUndo ? <UndoMerge merge={merge} /> : stateOf(merge)),
  },
]
const idOf = ({ id }: PatientMerge) => String(id)

const MergesCard = ({ patientId }: { patientId: number }) => {
  const query = useQuery(read(patientMergeRoutes.ofPatient, { params: { id: patientId } }))
  return (
    <CardTable
      title="Merged records"
      columns={columns}
      query={query}
      rowId={idOf}
      rowName={mergeTitle}
      empty="No other record has been merged into this one."
    />
  )
}
