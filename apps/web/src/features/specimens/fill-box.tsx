import { fillForm, freezerRoutes } from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { type ReactNode, useId } from 'react'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { FormField } from '../../ui/form/form-fields.tsx'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { BoxColumns } from './box-columns.ts'
import { BoxPanel } from './box-panel.tsx'
import { BoxPathPicker } from './box-path-picker.tsx'
import type { PlannedSample } from './box-plan.ts'
import { locationFields } from './location-fields.ts'
import { PlannedSamples } from './planned-samples.tsx'
import { ScanSamples } from './scan-samples.tsx'
import { useBoxFilling } from './use-box-filling.ts'

const fields = locationFields.filter(({ name }) => name !== 'aliquot')

/** Sample data, box, preview of the box, and the samples in the order scanned. */
export const FillBox = ({ labId, labChoice }: { labId: number; labChoice: ReactNode }) => {
  const id = useId()
  const filling = useBoxFilling(labId)
  const { samples, address, box } = filling
  const save = useSave(freezerRoutes.fillBox)
  const problems = samples.filter(({ problem }) => problem !== null).length
  const isReady =
    samples.length > 0 && problems === 0 && address !== undefined && samples.every(({ whose, slot }) => whose && slot)
  const record = useRecordForm({
    schema: fillForm,
    fields,
    onSubmit: async (values) => {
      if (!address || !isReady) return
      try {
        const wanted = samples.map(({ reqId, slot }) => ({ reqId, trackerId: slot?.trackerId ?? 0 }))
        await save({ params: address, body: { ...values, samples: wanted } })
        filling.placed(samples)
      } finally {
        // In any case: show who is in which slot now.
        filling.refresh()
      }
    },
  })
  const { formErrors, isSending, submit } = record
  const marks = new Map(samples.flatMap(({ slot, no }) => (slot ? [[slot.trackerId, String(no)] as const] : [])))
  const invalid = new Set(samples.flatMap(({ slot, problem }) => (slot && problem ? [slot.trackerId] : [])))
  return (
    <BoxColumns>
      <Card title="What and where">
        {formErrors.map((message) => (
          <Banner key={message} type="error">
            {message}
          </Banner>
        ))}
        <form id={id} noValidate onSubmit={submit} aria-label="Fill box">
          <div className={labChoice ? 'fields three' : 'fields'}>
            {labChoice}
            {fields.map((field) => (
              <FormField key={field.name} form={record} field={field} />
            ))}
          </div>
        </form>
        {filling.error ? (
          <LoadFailed error={filling.error} onRetry={filling.refresh} />
        ) : (
          <BoxPathPicker steps={filling.steps} onChoose={filling.choose} />
        )}
      </Card>
      <Card title="The box as it will be">
        <BoxPanel box={box} steps={filling.steps} chosen={marks} invalid={invalid} onToggle={filling.startAt} />
        <span className="hint">Samples take the free slots row by row. Choose a free slot to begin there.</span>
      </Card>
      <Card title={samples.length === 0 ? 'Samples' : `Samples (${samples.length})`}>
        <ScanSamples onAdd={filling.add} />
        <PlannedSamples samples={samples} onRemove={filling.remove} />
        <div className="foot">
          <Summary samples={samples} problems={problems} />
          {samples.length > 0 && <Button onClick={filling.clear}>Clear</Button>}
          <ActionButton type="submit" form={id} variant="contained" disabled={!isReady} isBusy={isSending}>
            {samples.length > 0 ? `Place ${samples.length}` : 'Place'}
          </ActionButton>
        </div>
      </Card>
    </BoxColumns>
  )
}

const Summary = ({ samples, problems }: { samples: readonly PlannedSample[]; problems: number }) => (
  <span role="status" className={problems > 0 ? 'wrong' : undefined}>
    {problems > 0
      ? `${problems} of ${samples.length} cannot be placed`
      : samples[0]?.slotName && `${samples[0].slotName} to ${samples.at(-1)?.slotName}`}
  </span>
)
