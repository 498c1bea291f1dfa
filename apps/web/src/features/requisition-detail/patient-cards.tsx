import { can } from '@lis/contract/access/permissions.ts'
import { feetAndInches, historyLabels, type PatientHistory } from '@lis/contract/clinical-history.ts'
import { type Patient, patientLabels } from '@lis/contract/patients.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { type RequisitionPatient, requisitionEditRoutes } from '@lis/contract/requisitions/edit.ts'
import { canEditPatient, isStatusCode } from '@lis/contract/requisitions/status.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatLongDate, formatPhone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { EditIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { OtherRecord } from './other-record.tsx'
import { PatientChanges } from './patient-changes.tsx'
import { PatientForm, type TypedPatient } from './patient-form.tsx'

const TwoColumns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 190px), 1fr))',
  gap: '0 24px',
  alignItems: 'start',
  // The labels are short here, and an e-mail address is long.
  '--name-width': '88px',
  [theme.breakpoints.down('sm')]: {
    gridTemplateColumns: 'minmax(0, 1fr)',
    '--name-width': '124px',
    // Two lists that look like one.
    rowGap: 8,
    '& > dl:first-of-type > :last-of-type': { borderBottom: '1px solid var(--line)' },
  },
}))

/** Short answers in a line: label at the left, value at the right. */
const Answers = styled('dl')(({ theme }) => ({
  margin: '-4px 0',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  columnGap: 48,
  '& > div': {
    display: 'flex',
    justifyContent: 'space-between',
    gap: 12,
    minHeight: 25,
    padding: '4px 0',
    borderBottom: '1px solid var(--line)',
  },
  '& dt': { color: 'var(--text-3)' },
  '& dd': { margin: 0, textAlign: 'right' },
  [theme.breakpoints.down('sm')]: {
    gridTemplateColumns: 'minmax(0, 1fr)',
    fontSize: 13,
    '& > div': { padding: '9px 0' },
  },
}))

/** Patient Information and Patient History: both enter and leave edit mode together. */
export const PatientCards = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id, reqStatusCode } = requisition
  const role = useRole()
  const client = useQueryClient()
  const notify = useNotify()
  const query = useQuery(read(requisitionEditRoutes.patient, { params: { id } }))
  // One form, opened from either card; closing it returns the focus to that card.
  const information = useInlineForm()
  const history = useInlineForm()
  const [typed, setTyped] = useState<TypedPatient | null>(null)
  const mayEdit = isStatusCode(reqStatusCode) && canEditPatient(role, reqStatusCode)
  const close = () => {
    information.close()
    history.close()
  }
  const end = () => {
    close()
    void client.invalidateQueries()
  }
  const editOf = ({ ref, open }: typeof information) =>
    mayEdit && (
      <Button ref={ref} variant="text" startIcon={<EditIcon />} onClick={open}>
        Edit
      </Button>
    )
  const resume = (before: TypedPatient) => {
    setTyped(before)
    information.open()
  }
  if (!query.data)
    return (
      <Card title="Patient Information">
        <Loaded query={query}>{() => null}</Loaded>
      </Card>
    )
  return (
    <Loaded query={query}>
      {({ data }: { data: RequisitionPatient }) =>
        (information.isOpen || history.isOpen) && mayEdit ? (
          <PatientForm
            requisitionId={id}
            record={data}
            resume={typed}
            startsAtHistory={history.isOpen}
            onCancel={() => {
              setTyped(null)
              // The patient may have been saved without the history.
              end()
            }}
            onSaved={(message) => {
              setTyped(null)
              notify.info(message)
              end()
            }}
            onFailed={(message, before) => {
              setTyped(null)
              notify.warning(message, { action: { label: 'Resume editing', run: () => resume(before) } })
              end()
            }}
          />
        ) : (
          <>
            <Card title="Patient Information" actions={editOf(information)}>
              <PatientChanges requisitionId={id} />
              <OtherRecord requisition={requisition} record={data} />
              <PatientInfo requisitionId={id} patient={{ ...data.patient, ...data.kept }} />
              <RecordLinks patientId={data.patient.id} />
            </Card>
            <Card title="Patient History" actions={editOf(history)}>
              <HistoryInfo history={data.history} />
            </Card>
          </>
        )
      }
    </Loaded>
  )
}

/** For users who answer patients' requests about access, and those who merge records. */
const RecordLinks = ({ patientId }: { patientId: number }) => {
  const role = useRole()
  return (
    <div>
      {can(role, 'patients.merge') && (
        <Button variant="text" size="small" component={Link} to={`/patients/${patientId}/show`}>
          Patient’s record
        </Button>
      )}
      {can(role, 'accessLog.read') && (
        <Button variant="text" size="small" component={Link} to={`/patients/${patientId}/access-log`}>
          Who has seen this patient?
        </Button>
      )}
    </div>
  )
}

const label = patientLabels

const PatientInfo = ({ requisitionId, patient }: { requisitionId: number; patient: Patient }) => (
  <TwoColumns>
    <InfoList
      items={[
        [label.patientFirstName, patient.patientFirstName],
        [label.patientMiddleName, patient.patientMiddleName],
        [label.patientLastName, patient.patientLastName],
        ['DOB', formatLongDate(patient.patientDob)],
        [label.patientGenderCode, patient.patientGenderDesc],
        [label.patientRaceCode, patient.patientRaceDesc],
        [label.patientEthnicityCode, patient.patientEthnicityDesc],
        [
          label.patientSsn,
          patient.patientSsn && <Ssn key={patient.id} requisitionId={requisitionId} patient={patient} />,
        ],
      ]}
    />
    <InfoList
      items={[
        [label.patientAddr1, patient.patientAddr1],
        [label.patientAddr2, patient.patientAddr2],
        [label.patientCity, patient.patientCity],
        [label.patientStateId, patient.patientState],
        [label.patientZip, patient.patientZip],
        [label.patientCountryId, patient.patientCountry],
        [label.patientEmail, patient.patientEmail],
        [label.patientHomePhone, formatPhone(patient.patientHomePhone)],
        [label.patientWorkPhone, formatPhone(patient.patientWorkPhone)],
      ]}
    />
  </TwoColumns>
)

/** A touch target of full height that does not make the line higher. */
const InLine = styled(Button)(({ theme }) => ({
  margin: '-6px 0',
  [theme.breakpoints.down('sm')]: { margin: '-13px 0' },
}))

const noPaths: readonly string[] = []

/** The last four digits; showing the whole number is a logged request. */
const Ssn = ({ requisitionId, patient }: { requisitionId: number; patient: Patient }) => {
  const mayShow = can(useRole(), 'patients.edit')
  const [fullSsn, setFullSsn] = useState<string | null>(null)
  const show = useSave(requisitionEditRoutes.showSsn, { isSilent: true, invalidates: noPaths })
  const toggle = async () => {
    if (fullSsn) return setFullSsn(null)
    try {
      setFullSsn((await show({ params: { id: requisitionId, patientId: patient.id } })).data.patientSsn)
    } catch {
      // The notice shows the error; the number stays masked.
    }
  }
  return (
    <>
      {fullSsn ?? patient.patientSsn}{' '}
      {mayShow && (
        <InLine
          variant="text"
          size="small"
          aria-label={fullSsn ? 'Hide SSN' : 'Show SSN'}
          onClick={() => void toggle()}
        >
          {fullSsn ? 'Hide' : 'Show'}
        </InLine>
      )}
    </>
  )
}

const yes = (flag: 0 | 1 | null) => (flag === null ? null : flag === 1 ? 'Yes' : 'No')

/** A height in inches is shown in feet and inches. */
const heightText = ({ heightUom, heightInches, heightCm }: PatientHistory) => {
  if (heightUom === 'CM') return heightCm === null ? null : `${heightCm} cm`
  if (heightInches === null) return null
  const { feet, inches } = feetAndInches(heightInches)
  return `${feet} ft ${inches} in`
}

const HistoryInfo = ({ history }: { history: PatientHistory }) => {
  const { sbp, dbp, weight, weightUom } = history
  const flag = (name: Extract<keyof typeof historyLabels, keyof PatientHistory>) =>
    [historyLabels[name], yes(history[name] as 0 | 1 | null)] as const
  const answers = [
    flag('isSmoker'),
    flag('isDiabetic'),
    flag('isFamilyHistory'),
    flag('isPatientHistory'),
    flag('isStress'),
    flag('isLowHdl'),
    flag('isLipidMed'),
    flag('isHypertension'),
    flag('isBloodMed'),
    flag('isMedNecessity'),
    ['Blood pressure', sbp === null && dbp === null ? null : `${sbp ?? '–'} / ${dbp ?? '–'}`],
    [historyLabels.weight, weight === null ? null : `${weight} ${weightUom === 'KG' ? 'kg' : 'lb'}`],
    ['Height', heightText(history)],
    flag('isCovidVac'),
    flag('isObesity'),
    [historyLabels.famHistT2DCode, history.famHistT2DDesc],
    flag('isSelfT2DGest'),
  ] as const
  return (
    <Answers>
      {answers.map(([name, answer]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{answer ?? '–'}</dd>
        </div>
      ))}
    </Answers>
  )
}
