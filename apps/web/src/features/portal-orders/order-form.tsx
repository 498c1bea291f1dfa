import { messages } from '@lis/contract/messages.ts'
import { formatBirthDate, toBirthDateParts } from '@lis/contract/patients.ts'
import { type KnownPatient, type OrderOptions, portalOrderRoutes } from '@lis/contract/portal-orders.ts'
import { combineCollected } from '@lis/contract/requisitions/collected.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { chosenTests } from '../../domain/chosen-tests.ts'
import { withoutCollectedParts } from '../../domain/patient-fields.ts'
import { ApiError, renameErrorFields } from '../../lib/api-error.ts'
import { formatLongDate } from '../../lib/formats.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { Values } from '../../ui/form/field-types.ts'
import { FormFields } from '../../ui/form/form-fields.tsx'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { KnownPatients } from './known-patients.tsx'
import {
  type OrderForm as FormData,
  insuranceField,
  orderForm,
  patientFields,
  physicianField,
  sampleFields,
  testFields,
} from './order-fields.ts'
import { UsualSets } from './usual-sets.tsx'

const Form = styled('form')({ display: 'flex', flexDirection: 'column', gap: 12 })
const Foot = styled('div')({
  position: 'sticky',
  bottom: 0,
  display: 'flex',
  justifyContent: 'flex-end',
  gap: 8,
  padding: '8px 0',
  background: 'var(--bg)',
})
const Chosen = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  '& span': { flex: '1 1 auto' },
  '& b': { fontWeight: 600, color: 'var(--text-strong)' },
})

interface OrderFormProps {
  options: OrderOptions
  /** Keys of tests that the address names. */
  preset: readonly string[]
  onPlaced: (id: number) => void
}

/** One order of a practice: the patient first, then the usual sets, the sample last. */
export const OrderForm = ({ options, preset, onPlaced }: OrderFormProps) => {
  const { clientId, clientTz, physicians, usualSets, orderables } = options
  const [patient, setPatient] = useState<KnownPatient | null>(null)
  const place = useSave(portalOrderRoutes.create)
  const fields = useMemo(
    () => ({
      physician: [physicianField(physicians)],
      tests: testFields(orderables),
      sample: sampleFields(clientTz),
      all: [
        ...patientFields,
        physicianField(physicians),
        ...testFields(orderables),
        ...sampleFields(clientTz),
        insuranceField,
      ],
    }),
    [physicians, orderables, clientTz],
  )
  const send = async (data: FormData) => {
    const { tests, sample, patientDobMonth: _, patientDobDate: __, patientDobYear: ___, ...rest } = data
    const collected = sample === 'collected' ? combineCollected(data, clientTz) : null
    if (collected && 'error' in collected)
      throw new ApiError(collected.error, {
        status: 400,
        errors: [{ field: 'dateCollectedDate', message: collected.error }],
      })
    const body = {
      ...withoutCollectedParts(rest),
      ...chosenTests(tests),
      clientId,
      patientDob: formatBirthDate(data),
      dateCollected: collected ? collected.instant : null,
      isToCollect: sample === 'later' ? (1 as const) : (0 as const),
      ...(patient && {
        patientId: patient.id,
        patientFirstName: patient.patientFirstName,
        patientLastName: patient.patientLastName,
        patientDob: patient.patientDob,
        patientGenderCode: patient.patientGenderCode as 'FEMALE' | 'MALE',
      }),
    }
    const { data: placed } = await place({ body }).catch((error) => {
      throw renameErrorFields(error, formNames)
    })
    onPlaced(placed.id)
  }
  const record = useRecordForm({
    schema: orderForm,
    fields: fields.all,
    values: {
      // Asked only about a known patient with an insurance.
      isInsuranceKnown: 1,
      ...(preset.length > 0 && { tests: preset }),
      ...(physicians.length === 1 && { orderingClientPhysId: physicians[0]?.orderingClientPhysId }),
    },
    onSubmit: send,
  })
  const values = useWatch({ control: record.form.control })
  const choose = (chosen: KnownPatient) => {
    setPatient(chosen)
    const filled: Values = { ...chosen, ...toBirthDateParts(chosen.patientDob) }
    for (const { name } of patientFields) record.change(name, filled[name] ?? '')
  }
  const common = { form: record, values, columns: 3, isLocked: record.isSending }
  return (
    <Form noValidate onSubmit={record.submit} aria-label="Order Tests">
      {clientTz === 'TZNA' && <Banner type="warning">{messages.clientTimezoneMissing}</Banner>}
      {record.formErrors.map((message) => (
        <Banner key={message} type="error">
          {message}
        </Banner>
      ))}
      <Card title="Patient">
        {patient ? (
          <Chosen>
            <span>
              <b>
                {patient.patientLastName}, {patient.patientFirstName}
              </b>{' '}
              {formatLongDate(patient.patientDob)}, {patient.patientGenderDesc}
            </span>
            <Button onClick={() => setPatient(null)}>Another patient</Button>
          </Chosen>
        ) : (
          <div style={{ display: 'flex', flexDirection: 'column', gap: 12 }}>
            <KnownPatients onChoose={choose} />
            <FormFields {...common} fields={patientFields} />
          </div>
        )}
        {patient && patient.insurances.length > 0 && (
          <div style={{ marginTop: 12 }}>
            <p style={{ color: 'var(--text-3)' }}>Insurance as known: {patient.insurances.join(', ')}</p>
            <FormFields {...common} fields={[insuranceField]} />
          </div>
        )}
      </Card>
      <Card title="Tests">
        {usualSets.length > 0 && (
          <UsualSets
            sets={usualSets}
            chosen={(values.tests as string[] | undefined) ?? []}
            onChoose={(tests) => record.change('tests', tests)}
          />
        )}
        <FormFields {...common} fields={fields.tests} />
      </Card>
      <Card title="Order">
        <FormFields {...common} fields={fields.physician} />
      </Card>
      <Card title="Sample">
        <FormFields {...common} fields={fields.sample} />
      </Card>
      <Foot>
        <ActionButton type="submit" variant="contained" color="primary" isBusy={record.isSending}>
          Order
        </ActionButton>
      </Foot>
    </Form>
  )
}

const formNames = {
  dateCollected: 'dateCollectedDate',
  patientDob: 'patientDobDate',
  testIds: 'tests',
  panelIds: 'tests',
}
