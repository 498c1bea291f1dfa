import { messages } from '@lis/contract/messages.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { locationForm, specLocationRoutes } from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useId, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { StageChip } from '../../domain/stage-chip.tsx'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { FormField } from '../../ui/form/form-fields.tsx'
import { useRecordForm } from '../../ui/form/use-record-form.ts'
import { ArrowRightIcon, CloseIcon } from '../../ui/icons.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { BoxPanel, BoxPath } from './box-panel.tsx'
import { BoxPathPicker } from './box-path-picker.tsx'
import { locationFields } from './location-fields.ts'
import { SelectedSlots } from './selected-slots.tsx'
import { useSlotChoice } from './use-slot-choice.ts'

const Identity = styled('div')({
  flex: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 12px',
  minHeight: 36,
  padding: '4px 20px 4px 24px',
  background: 'var(--id-bg)',
  color: 'var(--id-text)',
  borderBottom: '1px solid var(--id-line)',
  boxShadow: 'inset 4px 0 0 var(--id-stripe)',
  '& b': { fontWeight: 600 },
  '& .lab': { marginLeft: 'auto', color: 'var(--id-text-2)', '& b': { color: 'var(--id-text)' } },
})
const Columns = styled('form')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 368px',
  gap: 20,
  '& > div': { display: 'flex', flexDirection: 'column', gap: 10, minWidth: 0 },
  '& .fields': { display: 'grid', gridTemplateColumns: '1.1fr 1.3fr .7fr', gap: 8, alignItems: 'start' },
  '& .where': { display: 'flex', alignItems: 'center', justifyContent: 'space-between' },
  '& .where > b': { fontWeight: 600, color: 'var(--text-strong)' },
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
  [theme.breakpoints.down('sm')]: { '& .fields': { gridTemplateColumns: 'minmax(0, 1fr)' } },
}))

interface PlaceDialogProps {
  requisition: RequisitionDetail
  onClose: () => void
}

/** 'Add Specimen Location': what is placed, and in which slots. */
export const PlaceDialog = ({ requisition, onClose }: PlaceDialogProps) => {
  const id = useId()
  const choice = useSlotChoice(requisition.labId)
  const place = useSave(specLocationRoutes.place)
  const [slotError, setSlotError] = useState<string | null>(null)
  const { form, formErrors, serverErrors, isSending, submit, change } = useRecordForm({
    schema: locationForm,
    fields: locationFields,
    values: { aliquot: 1 },
    onSubmit: async (values) => {
      const trackerIds = choice.chosen.map(({ trackerId }) => trackerId)
      if (trackerIds.length !== values.aliquot) return setSlotError(messages.locationCount(values.aliquot))
      try {
        await place({ params: { id: requisition.id }, body: { ...values, trackerIds } })
        onClose()
      } catch (error) {
        // Another user may have been faster: refresh the box.
        choice.refresh()
        throw error
      }
    },
  })
  const values = useWatch({ control: form.control })
  const wanted = /^\d{1,4}$/.test(String(values.aliquot)) ? Number(values.aliquot) : 0
  const fieldForm = {
    form,
    serverErrors,
    change: (name: string, value: unknown) => {
      setSlotError(null)
      change(name, value)
    },
  }
  const toggle: typeof choice.toggle = (slot) => {
    setSlotError(null)
    choice.toggle(slot)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={`${id}-title`}
      slotProps={{ paper: { sx: { width: 920, maxWidth: '96vw' } } }}
    >
      <DialogTitle component="div" sx={{ display: 'flex', justifyContent: 'space-between' }}>
        <h2 id={`${id}-title`} style={{ margin: 0, font: 'inherit' }}>
          Add Specimen Location
        </h2>
        <IconButton aria-label="Close" sx={{ margin: '-4px' }} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </DialogTitle>
      <Identity>
        <b>{requisitionTitle(requisition)}</b>
        <StageChip code={requisition.reqStatusCode} />
        <span className="lab">
          Lab <b>{requisition.labName}</b>
        </span>
      </Identity>
      <DialogContent sx={{ pt: '16px !important' }}>
        {formErrors.map((message) => (
          <Banner key={message} type="error">
            {message}
          </Banner>
        ))}
        <Columns id={id} noValidate onSubmit={submit} aria-label="Specimen location">
          <div>
            <div className="fields">
              {locationFields.map((field) => (
                <FormField key={field.name} form={fieldForm} field={field} isLocked={isSending} />
              ))}
            </div>
            <div className="where">
              <b>Where</b>
              <Button
                variant="text"
                startIcon={<ArrowRightIcon />}
                disabled={wanted === 0}
                onClick={() => {
                  setSlotError(null)
                  void choice.takeNext(wanted)
                }}
              >
                Next empty slots
              </Button>
            </div>
            {choice.error ? (
              <LoadFailed error={choice.error} onRetry={choice.refresh} />
            ) : (
              <BoxPathPicker steps={choice.steps} onChoose={choice.choose} />
            )}
            {choice.box && <BoxPath box={choice.box} steps={choice.steps} />}
          </div>
          <BoxPanel
            box={choice.box}
            steps={choice.steps}
            reqId={requisition.id}
            chosen={new Map(choice.chosen.map(({ trackerId }) => [trackerId, '']))}
            onToggle={toggle}
          />
        </Columns>
      </DialogContent>
      <DialogActions>
        <SelectedSlots chosen={choice.chosen} wanted={wanted} visiblePath={choice.visiblePath} error={slotError} />
        <Button onClick={onClose}>Cancel</Button>
        <ActionButton type="submit" form={id} variant="contained" isBusy={isSending}>
          Place
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}
