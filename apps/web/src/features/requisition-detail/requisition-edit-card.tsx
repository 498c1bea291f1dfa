import { clientRecordRoutes } from '@lis/contract/client-records.ts'
import type { Option } from '@lis/contract/lookups.ts'
import { collectedPartsOf, combineCollected } from '@lis/contract/requisitions/collected.ts'
import { requisitionLabels as label, requisitionCreateRoutes } from '@lis/contract/requisitions/create.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import {
  centrifugedLabels as centrifuged,
  type RequisitionEditForm,
  requisitionEditForm,
  requisitionEditRoutes,
} from '@lis/contract/requisitions/edit.ts'
import { hoursOf, timeOfDay } from '@lis/contract/zoned-time.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { collectedFieldDefs, compositeOf, formatTimeParts, halves, yesNo } from '../../domain/patient-fields.ts'
import { ApiError, renameErrorFields } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef, FieldInputProps, Values } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { useNotify } from '../../ui/notices.tsx'

const of = (name: string) => (values: Values) => (values[name] ? { id: Number(values[name]) } : null)

/** Taken from the chosen physician; a record without them is refused by field (DETAIL-G7). */
const physicianName = (name: 'physFirstName' | 'physLastName', kept: RequisitionDetail): FieldDef => ({
  name,
  label: label[name],
  kind: 'custom',
  isRequired: true,
  isDisabled: true,
  isWide: true,
  render: (props) => <PhysicianName {...props} name={name} kept={kept} />,
})

const timeCentrifuged = compositeOf(
  label.timeCentrifuged,
  ['timeCentrifugedHour', 'timeCentrifugedMin'],
  ({ timeCentrifugedHour, timeCentrifugedMin, timeCentrifugedAmPm }) =>
    formatTimeParts(timeCentrifugedHour, timeCentrifugedMin, timeCentrifugedAmPm),
)

/** One of the client's physicians, events or labs, which may have been removed since. */
const keptOptionOf = (req: RequisitionDetail, names: readonly ('clientId' | 'copyToClientId')[], option: Option) => ({
  keptOption: (values: Values) => (names.every((name) => (values[name] || null) === req[name]) ? option : null),
})

const fieldsFor = (req: RequisitionDetail): readonly FieldDef[] => [
  {
    name: 'colaId',
    label: label.colaId,
    kind: 'autocomplete',
    lookup: 'collaborators',
    isRequired: true,
    isWide: true,
  },
  {
    name: 'clientId',
    label: label.clientId,
    kind: 'autocomplete',
    lookup: 'clients',
    isRequired: true,
    isWide: true,
    clears: ['orderingClientPhysId', 'eventId', 'labId'],
  },
  {
    name: 'orderingClientPhysId',
    label: label.orderingClientPhysId,
    kind: 'autocomplete',
    lookup: 'clientPhysicians',
    lookupParams: of('clientId'),
    isRequired: true,
    isWide: true,
    ...keptOptionOf(req, ['clientId'], {
      value: req.orderingClientPhysId,
      label: `${req.physFirstName} ${req.physLastName}`,
    }),
  },
  physicianName('physFirstName', req),
  physicianName('physLastName', req),
  {
    name: 'copyToClientId',
    label: label.copyToClientId,
    kind: 'autocomplete',
    lookup: 'clients',
    isWide: true,
    clears: ['copyToClientPhysId'],
  },
  {
    name: 'copyToClientPhysId',
    label: label.copyToClientPhysId,
    kind: 'autocomplete',
    lookup: 'clientPhysicians',
    lookupParams: (values) => of('copyToClientId')(values) ?? of('clientId')(values),
    isWide: true,
    ...(req.copyToClientPhysId !== null &&
      keptOptionOf(req, ['clientId', 'copyToClientId'], {
        value: req.copyToClientPhysId,
        label: `${req.copyToPhysFirstName} ${req.copyToPhysLastName}`,
      })),
  },
  {
    name: 'eventId',
    label: label.eventId,
    kind: 'select',
    lookup: 'clientEvents',
    lookupParams: of('clientId'),
    isRequired: true,
    isWide: true,
    ...keptOptionOf(req, ['clientId'], { value: req.eventId, label: req.eventName }),
  },
  {
    name: 'labId',
    label: label.labId,
    kind: 'select',
    lookup: 'clientLabs',
    lookupParams: of('clientId'),
    isRequired: true,
    isWide: true,
    ...keptOptionOf(req, ['clientId'], { value: req.labId, label: req.labName }),
  },
  { name: 'extOrderId', label: label.extOrderId, kind: 'input', isWide: true },
  { name: 'extAccessionId', label: label.extAccessionId, kind: 'input', isWide: true },
  { name: 'isFasting', label: label.isFasting, kind: 'radio', options: yesNo, isWide: true },
  ...collectedFieldDefs(req.collectedTz, 4),
  {
    name: 'timeCentrifugedHour',
    label: centrifuged.timeCentrifugedHour,
    part: { of: 'hours' },
    kind: 'number',
    isRequired: true,
    span: 4,
    composite: timeCentrifuged,
  },
  {
    name: 'timeCentrifugedMin',
    label: centrifuged.timeCentrifugedMin,
    part: { of: 'minutes' },
    shortLabel: 'Min',
    kind: 'number',
    isRequired: true,
    span: 4,
    composite: timeCentrifuged,
  },
  {
    name: 'timeCentrifugedAmPm',
    label: centrifuged.timeCentrifugedAmPm,
    shortLabel: 'AM/PM',
    kind: 'select',
    options: halves,
    isRequired: true,
    span: 4,
    composite: timeCentrifuged,
  },
  { name: 'collectCode', label: label.collectCode, kind: 'select', lookup: 'collectionMethod', isWide: true },
  { name: 'collectedBy', label: label.collectedBy, kind: 'text', isWide: true },
]

const twoDigits = (value: number) => String(value).padStart(2, '0')

const formValues = (req: RequisitionDetail): Values => {
  const [hours, minutes] = (req.timeCentrifuged ?? '').split(':').map(Number)
  const time = hours === undefined || minutes === undefined ? null : timeOfDay(hours, minutes)
  return {
    ...req,
    ...collectedPartsOf(req.dateCollected, req.collectedTz),
    timeCentrifugedHour: time ? twoDigits(time.hours) : '',
    timeCentrifugedMin: time ? twoDigits(time.minutes) : '',
    timeCentrifugedAmPm: time?.half ?? 'am',
  }
}

/** Requisition Information in edit mode. */
export const RequisitionEditCard = ({
  requisition: given,
  onEnd,
}: {
  requisition: RequisitionDetail
  onEnd: () => void
}) => {
  // The form must not change when the record is read again.
  const [requisition] = useState(given)
  const client = useQueryClient()
  const notify = useNotify()
  const update = useSave(requisitionEditRoutes.update)
  const fields = useMemo(() => fieldsFor(requisition), [requisition])
  const start = useMemo(() => formValues(requisition), [requisition])
  const collectedOf = async (data: RequisitionEditForm) => {
    const parts = Object.keys(data).filter((name) => /^(date|time)Collected/.test(name))
    const isMoved = parts.some((name) => !isSamePart(data[name as keyof RequisitionEditForm], start[name]))
    if (!isMoved && data.clientId === requisition.clientId) return {}
    // In the zone shown: the client may have moved since (CLI-G15).
    const { clientTz, collectedTz } = requisition
    const zone =
      data.clientId === requisition.clientId
        ? clientTz === 'TZNA'
          ? clientTz
          : collectedTz
        : (await client.fetchQuery(read(requisitionCreateRoutes.presets, { query: { clientId: data.clientId } }))).data
            .clientTz
    const combined = combineCollected(data, zone)
    if ('instant' in combined) return { dateCollected: combined.instant }
    notify.error(combined.error)
    throw new ApiError(combined.error, {
      status: 400,
      errors: [{ field: 'dateCollectedDate', message: combined.error }],
    })
  }
  return (
    <RecordForm
      title="Requisition Information"
      schema={requisitionEditForm}
      fields={fields}
      values={start}
      version={requisition.version}
      submitLabel="Save"
      columns={3}
      draftKey={`requisition:${requisition.id}`}
      onCancel={onEnd}
      onSubmit={async (data, { version }) => {
        const collected = await collectedOf(data)
        try {
          await update({
            params: { id: requisition.id },
            body: { ...bodyOf(data), ...copyOf(data, requisition), ...collected },
            headers: ifMatch(version),
          })
        } catch (error) {
          throw withFormValues(renameErrorFields(error, formNames))
        }
        onEnd()
      }}
    />
  )
}

const PhysicianName = ({
  name,
  kept,
  values = {},
  ...props
}: FieldInputProps & { name: 'physFirstName' | 'physLastName'; kept: RequisitionDetail }) => {
  const { clientId, orderingClientPhysId: chosen } = values
  const { data } = useQuery({
    ...read(clientRecordRoutes.physicians, { params: { id: Number(clientId) }, query: {} }),
    enabled: Boolean(clientId && chosen),
  })
  const found = data?.data.find(({ clientPhysId }) => clientPhysId === chosen)
  const known = found ?? (kept.orderingClientPhysId === chosen ? kept : undefined)
  return <FieldInput {...props} field={{ ...props.field, kind: 'text' }} value={known?.[name] ?? ''} />
}

const isSamePart = (one: unknown, other: unknown) => {
  const [a, b] = [String(one ?? ''), String(other ?? '')]
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b))
}

/** The parts are not sent (DETAIL-128). */
const bodyOf = (data: RequisitionEditForm) => {
  const { timeCentrifugedHour, timeCentrifugedMin, timeCentrifugedAmPm, ...rest } = data
  const plain = Object.fromEntries(Object.entries(rest).filter(([name]) => !/^(date|time)Collected/.test(name)))
  const hours = hoursOf({ hours: timeCentrifugedHour, half: timeCentrifugedAmPm })
  return { ...plain, timeCentrifuged: `${twoDigits(hours)}:${twoDigits(timeCentrifugedMin)}` }
}

/** Without its own client, the copy recipient was one of the former client's physicians: the field is empty by now. */
const copyOf = (data: RequisitionEditForm, { clientId, copyToClientPhysId }: RequisitionDetail) => {
  const isForeign = data.clientId !== clientId && data.copyToClientId === null
  return isForeign && data.copyToClientPhysId === copyToClientPhysId ? { copyToClientPhysId: null } : {}
}

const formNames = { dateCollected: 'dateCollectedDate', timeCentrifuged: 'timeCentrifugedHour' }

const withFormValues = (error: unknown) => {
  if (!(error instanceof ApiError) || error.status !== 409 || !error.current) return error
  // The physician's names follow from the physician.
  const { physFirstName: _, physLastName: __, ...theirs } = formValues(error.current as RequisitionDetail)
  return new ApiError(error.message, { status: 409, current: theirs })
}
