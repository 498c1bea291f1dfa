import { can } from '@lis/contract/access/permissions.ts'
import {
  autoverifyLabels as label,
  type AutoverifyRuleRecord as Rule,
  autoverificationRoutes as routes,
  type TriedRule,
} from '@lis/contract/autoverification.ts'
import { instrumentRoutes } from '@lis/contract/instruments.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { call } from '../../lib/api.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FieldText } from '../../ui/form/field-text.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { OnOff, RuleActions, type RuleDialog } from './rule-actions.tsx'
import { Figures, SwitchDialog, Tried, TryDialog } from './rule-dialogs.tsx'
import { RulesFrame } from './rules-frame.tsx'

const idOf = ({ id }: Rule) => String(id)
const limitsOf = ({ low, high }: Pick<Rule, 'low' | 'high'>) => {
  if (low !== null && high !== null) return `${low} to ${high}`
  if (low !== null) return `from ${low}`
  return high === null ? 'any value' : `up to ${high}`
}
const nameOf = (rule: Rule) => `${rule.testCode}, ${limitsOf(rule)}`
const deltaOf = ({ deltaLimit, deltaKind, deltaDays }: Rule) =>
  deltaLimit === null
    ? 'as the test'
    : `${deltaLimit}${deltaKind === 'percent' ? ' %' : ''}${deltaDays === null ? '' : ` in ${deltaDays} days`}`

const labField: FieldDef = { name: 'labId', label: label.labId, kind: 'select', lookup: 'labs' }
const colaField: FieldDef = { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators' }

/** Which results need no person; the most specific rule of a test counts. */
export const AutoverifyRulesPage = () => {
  const mayManage = can(useRole(), 'autoverify.manage')
  const [dialog, setDialog] = useState<RuleDialog<Rule> | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const create = useSave(routes.createRule)
  const update = useSave(routes.updateRule)
  const remove = useSave(routes.removeRule)
  const turn = useSave(routes.switchRule)
  const fields = useFields()
  const close = () => setDialog(null)
  const rule = dialog?.rule
  return (
    <RulesFrame current="/review/rules">
      <CardTable
        title="Autoverification rules"
        query={useQuery(read(routes.rules, { query: {} }))}
        columns={columnsOf(mayManage ? setDialog : null, fields)}
        rowId={idOf}
        rowName={nameOf}
        empty="Without a rule that is on, every result of an instrument waits for a person."
        actions={
          mayManage && (
            <Button startIcon={<PlusIcon />} onClick={() => setDialog({ kind: 'add' })}>
              Add rule
            </Button>
          )
        }
      />
      {dialog?.kind === 'add' && (
        <FormDialog
          title="Add rule"
          intro={<p>A new rule is off. Try it, then switch it on.</p>}
          submitLabel="Add"
          columns={2}
          schema={routes.createRule.body}
          fields={fields}
          onSubmit={(body) => create({ body })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'edit' && rule && (
        <FormDialog
          title="Edit rule"
          subject={nameOf(rule)}
          intro={<p>A changed rule is a new version, and off until it is switched on again.</p>}
          submitLabel="Save"
          columns={2}
          schema={routes.createRule.body}
          fields={fields}
          values={{ ...rule }}
          version={rule.version}
          onSubmit={(body, { version }) => update({ params: { id: rule.id }, body, headers: ifMatch(version) })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'switch' && rule && (
        <SwitchDialog
          subject={nameOf(rule)}
          isActive={rule.isActive}
          onSwitch={(body) => turn({ params: { id: rule.id }, body })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'try' && rule && (
        <TryDialog
          subject={nameOf(rule)}
          run={async (body) => (await call(routes.tryRule, { params: { id: rule.id }, body })).data}
          onClose={close}
        >
          {(tried) => <Outcome tried={tried} />}
        </TryDialog>
      )}
      <ConfirmDialog
        isOpen={dialog?.kind === 'delete'}
        title="Delete this rule?"
        subject={rule ? nameOf(rule) : ''}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={() =>
          whileBusy(async () => {
            if (rule) await remove({ params: { id: rule.id } })
            close()
          })
        }
        onCancel={close}
      >
        Decisions that it made keep its number and version.
      </ConfirmDialog>
    </RulesFrame>
  )
}

const Outcome = ({ tried }: { tried: TriedRule }) => {
  const { considered, wouldPass, laterCorrected, laterFailed, critical, list } = tried
  const figures = [
    ['results', considered, false],
    ['would have passed', wouldPass, false],
    ['of these later corrected', laterCorrected, laterCorrected > 0],
    ['later failed', laterFailed, laterFailed > 0],
    ['critical', critical, critical > 0],
  ] as const
  const shown = list.toSorted((one, other) => weight(other) - weight(one)).slice(0, mostShown)
  return (
    <>
      <Figures>
        {figures.map(([name, count, isBad]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={isBad ? 'bad' : undefined}>{count.toLocaleString('en-US')}</dd>
          </div>
        ))}
      </Figures>
      {shown.length > 0 && (
        <div style={{ maxHeight: 320, overflow: 'auto' }}>
          <Tried>
            <thead>
              <tr>
                <th scope="col">Req ID</th>
                <th scope="col">Value</th>
                <th scope="col">Would it have passed?</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.reqTestId}>
                  <td>
                    <Link to={`/requisitions/${row.reqId}/show/tests`}>#{row.reqId}</Link>
                  </td>
                  <td>
                    <b>{row.value}</b>
                  </td>
                  <td>{row.wouldPass === 1 ? ['Yes', ...laterOf(row)].join(', ') : row.reasons.join('; ')}</td>
                </tr>
              ))}
            </tbody>
          </Tried>
        </div>
      )}
      {considered > shown.length && (
        <p>
          Showing {shown.length} of {considered.toLocaleString('en-US')} results, those that need attention first.
        </p>
      )}
    </>
  )
}
const mostShown = 200

type TriedRow = TriedRule['list'][number]
const laterOf = ({ wasCorrected, wasFailed, isCritical }: TriedRow) => [
  ...(wasCorrected ? ['later corrected'] : []),
  ...(wasFailed ? ['later failed'] : []),
  ...(isCritical ? ['critical'] : []),
]
/** What would have passed and should not have comes first, then what would have been held. */
const weight = (row: TriedRow) => (row.wouldPass === 1 ? (laterOf(row).length > 0 ? 2 : 0) : 1)

const useFields = (): readonly FieldDef[] => {
  const tests = useQuery(read(lookupRoutes.defaultTests, { query: {} })).data?.data ?? []
  const instruments = useQuery(readList(instrumentRoutes.list, undefined, allRows)).data?.data ?? []
  return [
    {
      name: 'testCode',
      label: label.testCode,
      kind: 'autocomplete',
      isRequired: true,
      isWide: true,
      options: tests.map(({ testCode, testDesc }) => ({ value: testCode, label: `${testCode}, ${testDesc}` })),
    },
    { name: 'low', label: label.low, kind: 'text', hint: 'Inclusive' },
    { name: 'high', label: label.high, kind: 'text', hint: 'Inclusive' },
    { name: 'deltaLimit', label: label.deltaLimit, kind: 'text', hint: 'If empty, the limit of the test applies' },
    {
      name: 'deltaKind',
      label: label.deltaKind,
      kind: 'select',
      options: [
        { value: 'percent', label: 'Percent' },
        { value: 'absolute', label: 'In the unit of the test' },
      ],
    },
    {
      name: 'deltaDays',
      label: label.deltaDays,
      kind: 'number',
      hint: 'Compare only with results of the last so many days',
    },
    {
      name: 'maxSpecimenHours',
      label: label.maxSpecimenHours,
      kind: 'number',
      hint: 'At most, from collection to measurement',
    },
    {
      name: 'instrumentId',
      label: label.instrumentId,
      kind: 'select',
      options: instruments.map(({ id, name }) => ({ value: id, label: name })),
    },
    labField,
    { ...colaField, isWide: true },
  ]
}

const columnsOf = (
  onOpen: ((dialog: RuleDialog<Rule>) => void) | null,
  fields: readonly FieldDef[],
): readonly Column<Rule>[] => [
  {
    key: 'testCode',
    header: label.testCode,
    width: 100,
    card: 'title',
    cell: ({ testCode }) => <span className="strong">{testCode}</span>,
  },
  {
    key: 'isActive',
    header: label.isActive,
    width: 80,
    card: 'head',
    cell: ({ isActive }) => <OnOff isOn={isActive === 1} />,
  },
  { key: 'limits', header: 'Passes', width: 130, cell: limitsOf },
  { key: 'delta', header: 'Delta', width: 130, cell: deltaOf },
  {
    key: 'maxSpecimenHours',
    header: 'Specimen',
    width: 110,
    cell: ({ maxSpecimenHours }) => (maxSpecimenHours === null ? 'any age' : `up to ${maxSpecimenHours} h`),
  },
  {
    key: 'scope',
    header: 'For',
    width: 240,
    cell: ({ instrumentId, labId, colaId }) => {
      const instrument = fields
        .find(({ name }) => name === 'instrumentId')
        ?.options?.find(({ value }) => value === instrumentId)
      if (instrumentId === null && labId === null && colaId === null) return 'All'
      return (
        <>
          {instrumentId !== null && <span>{instrument?.label ?? `Instrument ${instrumentId}`} </span>}
          {labId !== null && <FieldText field={labField} value={labId} />}{' '}
          {colaId !== null && <FieldText field={colaField} value={colaId} />}
        </>
      )
    },
  },
  { key: 'ruleVersion', header: 'Version', width: 70, align: 'right', cell: ({ ruleVersion }) => ruleVersion },
  ...(onOpen
    ? [
        {
          key: 'actions',
          header: 'Actions',
          width: 260,
          cell: (rule: Rule) => <RuleActions rule={rule} name={nameOf(rule)} onOpen={onOpen} />,
        },
      ]
    : []),
]
