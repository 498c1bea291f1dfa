import { physicianInput, physicianRoutes } from '@lis/contract/physicians.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useEffect, useId, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useNavigate, useSearchParams } from 'react-router'
import { physicianFields } from '../../domain/physician-fields.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { DraftOffers } from '../../ui/form/draft-offers.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormCard } from '../../ui/form/form-card.tsx'
import { FormFields } from '../../ui/form/form-fields.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { ClientPicker } from './client-picker.tsx'
import { npiNotice } from './npi.tsx'
import { PhysicianSummary } from './physician-summary.tsx'
import { Steps } from './steps.tsx'

const steps = ['General Information', 'Associated clients', 'Confirm and Finish'] as const
const lastStep = steps.length - 1
const Body = styled('div')({ display: 'flex', flexDirection: 'column', gap: 12 })

// Not a field of the form, but listed here so that it is validated, sent and stored in the draft.
const allFields: readonly FieldDef[] = [...physicianFields, { name: 'clientIds', label: 'Clients', kind: 'custom' }]
const idsIn = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : [])

/** Creates a physician in three steps; with `relatedClient` it comes from a new client and returns to it. */
export const PhysicianCreatePage = () => {
  const related = Number(useSearchParams()[0].get('relatedClient') ?? Number.NaN)
  const clientId = Number.isSafeInteger(related) && related > 0 ? related : undefined
  return (
    <RecordPage title="Create Physician" parent={{ to: '/physicians', label: 'Physicians' }}>
      <Wizard key={clientId} clientId={clientId} />
    </RecordPage>
  )
}

const Wizard = ({ clientId }: { clientId: number | undefined }) => {
  const navigate = useNavigate()
  const create = useSave(physicianRoutes.create)
  const [step, setStep] = useState(0)
  const id = useId()
  const clientPage = clientId === undefined ? undefined : `/clients/${clientId}/show`
  const record = useRecordForm({
    schema: physicianInput,
    fields: allFields,
    values: { clientIds: clientId === undefined ? [] : [clientId] },
    draftKey: 'physician',
    onSubmit: async (values) => {
      const { data } = await create({ body: values })
      navigate(clientPage ?? `/physicians/${data.id}/show`, { replace: true })
    },
  })
  const { form, serverErrors, formErrors, draft } = record
  const values = useWatch({ control: form.control })
  const clientIds = idsIn(values.clientIds)
  // Return to the step with the refused field.
  const isRefused = Object.keys(serverErrors).length > 0
  useEffect(() => {
    if (isRefused) setStep(0)
  }, [isRefused])
  const next = form.handleSubmit(() => setStep(step + 1))
  const back = () => (step === 0 ? navigate(clientPage ?? '/physicians') : setStep(step - 1))
  const actions = (
    <>
      <Button onClick={back}>Back</Button>
      <ActionButton type="submit" form={id} variant="contained" color="primary" isBusy={record.isSending}>
        {step === lastStep ? 'Finish' : 'Next'}
      </ActionButton>
    </>
  )
  return (
    <>
      <Steps names={steps} current={step} />
      <FormCard title={steps[step]} isEdit={false} actions={actions}>
        <Body>
          {step === 0 && <DraftOffers draft={draft} />}
          {step !== 1 && npiNotice(values)}
          {formErrors.map((message) => (
            <Banner key={message} type="error">
              {message}
            </Banner>
          ))}
          <form
            id={id}
            noValidate
            onSubmit={step === lastStep ? record.submit : next}
            aria-label={steps[step]}
            // The other steps have no fields, but their buttons submit this form.
            hidden={step !== 0}
          >
            {step === 0 && (
              <FormFields
                form={record}
                fields={physicianFields}
                values={values}
                columns={3}
                isLocked={record.isSending}
              />
            )}
          </form>
          {step === 1 && <ClientPicker chosen={clientIds} onChange={(ids) => record.change('clientIds', ids)} />}
          {step === lastStep && <PhysicianSummary values={values} clientIds={clientIds} />}
        </Body>
      </FormCard>
    </>
  )
}
