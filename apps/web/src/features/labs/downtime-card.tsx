import { can } from '@lis/contract/access/permissions.ts'
import { type CatchUpOutcome, downtimeKinds, downtimeMessages, downtimeRoutes } from '@lis/contract/downtime.ts'
import type { Lab } from '@lis/contract/labs.ts'
import { instantsAt } from '@lis/contract/zoned-time.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../lib/api.ts'
import { isNotFound } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

/** The downtime kit of this laboratory, and the entry of what was written down during the downtime. */
export const DowntimeCard = ({ lab }: { lab: Lab }) => (can(useRole(), 'downtime.use') ? <Downtime lab={lab} /> : null)

const Downtime = ({ lab }: { lab: Lab }) => {
  const params = { labId: lab.id }
  const query = useQuery({ ...read(downtimeRoutes.kit, { params }), retry: false, staleTime: 0 })
  const make = useSave(downtimeRoutes.make)
  const [isMaking, whileMaking] = useBusy()
  const [isCatchingUp, setCatchingUp] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly CatchUpOutcome[]>([])
  const kit = query.data?.data
  // The link ends after five minutes, so it is read when it is needed.
  const download = async () => window.open((await call(downtimeRoutes.kit, { params })).data.url, '_self')
  return (
    <Card
      title="Downtime"
      actions={
        <>
          <Button onClick={() => setCatchingUp(true)}>Catch up</Button>
          <ActionButton isBusy={isMaking} onClick={() => whileMaking(() => make({ params }).catch(() => undefined))}>
            Make now
          </ActionButton>
          {kit && <Button onClick={download}>Download</Button>}
        </>
      }
    >
      {query.error && !isNotFound(query.error) ? (
        <LoadFailed error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <p style={{ color: 'var(--text-2)' }}>
          {kit ? (
            <>
              The last downtime kit was made <Timestamp at={kit.madeAt} />. Keep it on a computer of the laboratory: it
              opens without a network, with the downtime password.
            </>
          ) : (
            `${downtimeMessages.notMade}.`
          )}
        </p>
      )}
      {outcomes.map(({ entryId, reqId, outcome, message }) => (
        <Banner key={entryId} type={outcome === 'REFUSED' ? 'error' : outcome === 'KNOWN' ? 'warning' : 'success'}>
          {`${entryId}, #${reqId}: ${message}`}
        </Banner>
      ))}
      {isCatchingUp && (
        <CatchUp
          lab={lab}
          onEntered={(entered) => setOutcomes([...entered, ...outcomes])}
          onClose={() => setCatchingUp(false)}
        />
      )}
    </Card>
  )
}

const isNot = (kind: keyof typeof downtimeKinds) => (values: Values) => values.kind !== kind

const fields: readonly FieldDef[] = [
  {
    name: 'entryId',
    label: 'Form and number',
    kind: 'text',
    isRequired: true,
    hint: 'As on the paper, such as 3-12: the same number is taken once',
  },
  { name: 'reqId', label: 'Req ID', kind: 'text', isRequired: true },
  {
    name: 'kind',
    label: 'What was written down',
    kind: 'select',
    options: Object.entries(downtimeKinds).map(([value, label]) => ({ value, label })),
    isRequired: true,
  },
  {
    name: 'specimenTypeCode',
    label: 'Specimen Type',
    kind: 'select',
    lookup: 'specimenType',
    isRequired: true,
    isHidden: isNot('RECEIVED'),
  },
  {
    name: 'temperatureTypeCode',
    label: 'Temperature',
    kind: 'select',
    lookup: 'temperatureType',
    isRequired: true,
    isHidden: isNot('RECEIVED'),
  },
  {
    name: 'containerTypeCode',
    label: 'Container',
    kind: 'select',
    lookup: 'containerType',
    isRequired: true,
    isHidden: isNot('RECEIVED'),
  },
  { name: 'tubeCount', label: 'Number of Tubes', kind: 'number', min: 1, initial: 1, isHidden: isNot('RECEIVED') },
  { name: 'testCode', label: 'Test', kind: 'text', isRequired: true, isHidden: isNot('RESULT') },
  { name: 'result', label: 'Result', kind: 'text', isRequired: true, isHidden: isNot('RESULT') },
  { name: 'note', label: 'Note', kind: 'multiline', isRequired: true, isHidden: isNot('NOTE') },
  {
    name: 'day',
    label: 'Date',
    kind: 'text',
    hint: 'MM/DD/YYYY; now, if empty',
    isHidden: ({ kind }) => kind === 'NOTE',
  },
  { name: 'time', label: 'Time', kind: 'text', hint: 'HH:MM, 24 hours', isHidden: ({ kind }) => kind === 'NOTE' },
]

const text = z.string().trim().optional()
const needed = (label: string) =>
  z
    .string({ error: `${label} is required` })
    .trim()
    .min(1, `${label} is required`)
const schema = z
  .object({
    entryId: needed('Form and number').max(64),
    reqId: z.coerce.number({ error: 'Req ID is required' }).int().positive('Req ID is required'),
    kind: z.enum(Object.keys(downtimeKinds) as [keyof typeof downtimeKinds], {
      error: 'What was written down is required',
    }),
    specimenTypeCode: text,
    temperatureTypeCode: text,
    containerTypeCode: text,
    tubeCount: z.coerce.number().int().min(1).max(999).optional(),
    testCode: text,
    result: text,
    note: text,
    day: text.refine((value) => !value || /^\d{1,2}\/\d{1,2}\/\d{4}$/.test(value), 'Invalid Date'),
    time: text.refine((value) => !value || /^([01]?\d|2[0-3]):[0-5]\d$/.test(value), 'Invalid Time'),
  })
  .refine(({ day, time }) => !day === !time, { path: ['time'], error: 'Date and time belong together' })

/** In the laboratory's time zone; undefined if no time was written down. */
const instantOf = (day: string | undefined, time: string | undefined, zone: string): string | undefined => {
  if (!day || !time) return undefined
  const [month = 0, date = 0, year = 0] = day.split('/').map(Number)
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return instantsAt({ year, month, day: date, hours, minutes }, zone)[0]
}

interface CatchUpProps {
  lab: Lab
  onEntered: (outcomes: readonly CatchUpOutcome[]) => void
  onClose: () => void
}

/** One line of a form; a refused one stays in the dialog to be corrected. */
const CatchUp = ({ lab, onEntered, onClose }: CatchUpProps) => {
  const send = useSave(downtimeRoutes.catchUp, { isSilent: true })
  return (
    <FormDialog
      title="Catch up"
      submitLabel="Enter"
      columns={2}
      schema={schema}
      fields={fields}
      onSubmit={async ({ day, time, tubeCount, ...entry }) => {
        const at = instantOf(day, time, lab.labTz)
        const body = { entries: [{ ...entry, ...(tubeCount !== undefined && { tubeCount }), ...(at && { at }) }] }
        const { data } = await send({ params: { labId: lab.id }, body })
        const refused = data.find(({ outcome }) => outcome === 'REFUSED')
        if (refused) throw new Error(refused.message)
        onEntered(data)
      }}
      onClose={onClose}
    />
  )
}
