import { decimalInput } from '@lis/contract/decimal-input.ts'
import { type QcLot, type QcStatus, qcLabels, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { optionalText } from '@lis/contract/validation.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { renameErrorFields } from '../../lib/api-error.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { nowIn, runTime, timeFields, timeShape } from './time-fields.ts'

const blankToNull = (value: unknown) => (value === '' || value === undefined ? null : value)
const nameOf = ({ lotId }: { lotId: number }) => `lot${lotId}`
const words = {
  IN: 'In control',
  WARNING: 'In control, with a warning',
  REJECTED: 'Rejected: out of control',
  NOT_EVALUATED: 'Not evaluated',
}

interface Choice {
  lotId: number
  lot: QcLot
}

/** Enters a run: the values of the levels that were measured together. Lots with a target of this test can be chosen. */
export const RunDialog = ({ status, onClose }: { status: QcStatus; onClose: () => void }) => {
  const { instrumentId, testCode } = status
  const targets = useQuery(read(qualityControlRoutes.targets, { query: { instrumentId, testCode } }))
  const lots = useQuery(read(qualityControlRoutes.lots))
  const today = dayAt(Date.now(), useZone())
  if (!targets.data || !lots.data) return null
  const targeted = new Set(targets.data.data.map(({ lotId }) => lotId))
  const choices = lots.data.data
    .filter(({ id, expires }) => targeted.has(id) && expires >= today)
    .map((lot) => ({ lotId: lot.id, lot }))
    .sort((one, other) => one.lot.isParallel - other.lot.isParallel || one.lot.level - other.lot.level)
  return <RunForm status={status} choices={choices} onClose={onClose} />
}

const RunForm = ({ status, choices, onClose }: { status: QcStatus; choices: Choice[]; onClose: () => void }) => {
  const { instrumentId, testCode, instrumentName } = status
  const zone = useZone()
  const [openedAt] = useState(() => Date.now())
  const notify = useNotify()
  const save = useSave(qualityControlRoutes.createRun, { isSilent: true })
  const fields: FieldDef[] = [
    ...choices.map(
      (choice): FieldDef => ({
        name: nameOf(choice),
        label: `Level ${choice.lot.level}, lot ${choice.lot.lotNumber}${choice.lot.isParallel === 1 ? ', parallel' : ''}`,
        kind: 'text',
        isWide: true,
      }),
    ),
    ...timeFields(qcLabels.ranAt),
    { name: 'operator', label: qcLabels.operator, kind: 'text', hint: 'Left empty: you' },
    { name: 'runNo', label: qcLabels.runNo, kind: 'text', hint: 'More levels of the same run follow under it' },
  ]
  const schema = z.object({
    ...Object.fromEntries(
      choices.map((choice) => [
        nameOf(choice),
        z.preprocess(blankToNull, decimalInput(`Level ${choice.lot.level}`).nullable()),
      ]),
    ),
    ...timeShape,
    operator: optionalText(qcLabels.operator, 100),
    runNo: optionalText(qcLabels.runNo, 50),
  })
  return (
    <FormDialog
      title="Enter run"
      subject={`${testCode} on ${instrumentName}`}
      intro={choices.length === 0 && <p>No lot in use has a target for this test. Enter one under Materials.</p>}
      submitLabel="Save run"
      columns={2}
      schema={schema}
      values={nowIn(zone)}
      fields={fields}
      onSubmit={async (form) => {
        const given = form as Record<string, string | null>
        const values = choices.flatMap((choice) => {
          const value = given[nameOf(choice)]
          return value ? [{ lotId: choice.lotId, value }] : []
        })
        const body = {
          instrumentId,
          testCode,
          ranAt: runTime(form.day, form.time, zone, openedAt),
          operator: form.operator,
          runNo: form.runNo,
          values,
        }
        try {
          const { data } = await save({ body })
          const rules = data.broken.map(({ rule }) => rule).join(', ')
          const text = `${words[data.state]}${rules ? ` (${rules})` : ''}`
          if (data.state === 'REJECTED' || data.state === 'NOT_EVALUATED') notify.warning(text)
          else notify.info(text)
        } catch (error) {
          const names = Object.fromEntries(
            values.flatMap((value, index) => [
              [`values.${index}.lotId`, nameOf(value)],
              [`values.${index}.value`, nameOf(value)],
            ]),
          )
          throw renameErrorFields(error, { ...names, ranAt: 'time', values: nameOf(choices[0] ?? { lotId: 0 }) })
        }
      }}
      onClose={onClose}
    />
  )
}
