import { decimalInput, positiveDecimalInput } from '@lis/contract/decimal-input.ts'
import { qcLabels as label, minRunsOfTarget, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import { requiredCode, requiredId } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { z } from 'zod'
import { call } from '../../lib/api.ts'
import { read } from '../../lib/query.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { Timestamp, useZone } from '../../ui/timestamp.tsx'
import type { SetupOptions } from './setup-options.ts'
import { minuteOf, nowIn, timeFields, timeShape } from './time-fields.ts'

type Target = z.infer<typeof qualityControlRoutes.targets.reply>['data'][number]

const idOf = ({ id }: Target) => String(id)
const nameOf = ({ testCode, lotNumber, level }: Target) => `${testCode}, lot ${lotNumber}, level ${level}`
const sources = { MAKER: 'Maker', OWN: 'Own' } as const

const schema = z.object({
  lotId: requiredId(label.lotId),
  testCode: requiredCode(label.testCode),
  instrumentId: requiredId(label.instrumentId),
  mean: decimalInput(label.mean),
  sd: positiveDecimalInput(label.sd),
  source: z.enum(['MAKER', 'OWN']),
  ...timeShape,
})

interface TargetsCardProps {
  mayManage: boolean
  options: SetupOptions
}

/** Mean and SD of each lot, from the maker or from our own runs. A target is never changed: a newer one takes its place. */
export const TargetsCard = ({ mayManage, options }: TargetsCardProps) => {
  const [given, setGiven] = useState<Values | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const zone = useZone()
  const notify = useNotify()
  const create = useSave(qualityControlRoutes.createTarget)
  const query = useQuery(read(qualityControlRoutes.targets, { query: { instrumentId: null, testCode: null } }))
  const propose = (target: Target) =>
    whileBusy(async () => {
      const { lotId, testCode, instrumentId } = target
      const { data } = await call(qualityControlRoutes.proposal, { query: { lotId, testCode, instrumentId } })
      if (data.isReady === 0)
        return notify.warning(`Own limits need ${minRunsOfTarget} runs; lot ${target.lotNumber} has ${data.n}`)
      setGiven({ lotId, testCode, instrumentId, mean: data.mean, sd: data.sd, source: 'OWN', ...nowIn(zone) })
    })
  const instrumentName = (id: number) => options.instruments.find(({ value }) => value === id)?.label ?? `#${id}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: both are new with each rendering
  const columns = useMemo(
    () => columnsOf(instrumentName, mayManage ? propose : null, isBusy),
    [options.instruments, mayManage, isBusy],
  )
  const fields: FieldDef[] = [
    { name: 'lotId', label: label.lotId, kind: 'select', isRequired: true, isWide: true, options: options.lots },
    { name: 'testCode', label: label.testCode, kind: 'autocomplete', isRequired: true, options: options.tests },
    { name: 'instrumentId', label: label.instrumentId, kind: 'select', isRequired: true, options: options.instruments },
    { name: 'mean', label: label.mean, kind: 'text', isRequired: true },
    { name: 'sd', label: label.sd, kind: 'text', isRequired: true },
    {
      name: 'source',
      label: label.source,
      kind: 'select',
      isRequired: true,
      isWide: true,
      options: Object.entries(sources).map(([value, text]) => ({ value, label: text })),
    },
    ...timeFields(label.validFrom),
  ]
  return (
    <>
      <CardTable
        title="Targets"
        query={query}
        columns={columns}
        rowId={idOf}
        rowName={nameOf}
        empty="No target yet: values without one are not evaluated."
        actions={
          mayManage && (
            <Button startIcon={<PlusIcon />} onClick={() => setGiven({ source: 'MAKER', ...nowIn(zone) })}>
              Add target
            </Button>
          )
        }
      />
      {given && (
        <FormDialog
          title={given.source === 'OWN' ? 'Put own limits in force' : 'Add target'}
          submitLabel="Put in force"
          columns={2}
          schema={schema}
          values={given}
          fields={fields}
          onSubmit={({ day, time, ...body }) =>
            create({ body: { ...body, validFrom: minuteOf(day, time, zone), validTo: null } })
          }
          onClose={() => setGiven(null)}
        />
      )}
    </>
  )
}

const columnsOf = (
  instrumentName: (id: number) => string,
  onPropose: ((target: Target) => void) | null,
  isBusy: boolean,
): readonly Column<Target>[] => [
  {
    key: 'testCode',
    header: label.testCode,
    width: 90,
    card: 'title',
    cell: ({ testCode }) => <span className="strong">{testCode}</span>,
  },
  {
    key: 'instrument',
    header: label.instrumentId,
    width: 150,
    cell: ({ instrumentId }) => instrumentName(instrumentId),
  },
  { key: 'level', header: label.level, width: 60, align: 'right', cell: ({ level }) => level },
  { key: 'lotNumber', header: label.lotNumber, width: 100, cell: ({ lotNumber }) => lotNumber },
  { key: 'mean', header: label.mean, width: 80, align: 'right', cell: ({ mean }) => mean },
  { key: 'sd', header: label.sd, width: 80, align: 'right', cell: ({ sd }) => sd },
  { key: 'source', header: label.source, width: 80, cell: ({ source }) => sources[source] },
  { key: 'validFrom', header: label.validFrom, width: 140, cell: ({ validFrom }) => <Timestamp at={validFrom} /> },
  {
    key: 'validTo',
    header: label.validTo,
    width: 140,
    cell: ({ validTo }) => (validTo ? <Timestamp at={validTo} /> : 'Open'),
  },
  ...(onPropose
    ? [
        {
          key: 'propose',
          header: 'Actions',
          width: 130,
          cell: (target: Target) => (
            <Button size="small" variant="text" disabled={isBusy} onClick={() => onPropose(target)}>
              Own limits
            </Button>
          ),
        },
      ]
    : []),
]
