import {
  autoverifyLabels as label,
  type AutoverifyRuleRecord as Rule,
  autoverificationRoutes as routes,
  type TriedRule,
} from '@lis/contract/autoverification.ts'
import { instrumentRoutes } from '@lis/contract/instruments.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { FieldText } from '../../ui/form/field-text.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { laterOf, mostShown, TriedFigures, TriedTable } from './rule-dialogs.tsx'
import { isActiveColumn, RulesCard, specimenColumn, versionColumn } from './rules-card.tsx'
import { RulesFrame } from './rules-frame.tsx'

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

/** Which results need no review; the most specific rule of a test applies. */
export const AutoverifyRulesPage = () => {
  const fields = useFields()
  return (
    <RulesFrame current="/review/rules">
      <RulesCard
        title="Autoverification rules"
        noun="rule"
        empty="Without a rule that is on, every result of an instrument waits for a person."
        addIntro="A new rule is off. Try it, then switch it on."
        deleteNote="Decisions that it made keep its number and version."
        query={useQuery(read(routes.rules, { query: {} }))}
        schema={routes.createRule.body}
        fields={fields}
        columns={columnsOf(fields)}
        nameOf={nameOf}
        save={{
          create: useSave(routes.createRule),
          update: useSave(routes.updateRule),
          remove: useSave(routes.removeRule),
          turn: useSave(routes.switchRule),
        }}
        run={(input) => call(routes.tryRule, input)}
        Outcome={Outcome}
      />
    </RulesFrame>
  )
}

const Outcome = ({ tried }: { tried: TriedRule }) => {
  const { considered, list } = tried
  const shown = list.toSorted((one, other) => weight(other) - weight(one)).slice(0, mostShown)
  return (
    <>
      <TriedFigures tried={tried} passed="would have passed" isCriticalBad />
      <TriedTable rows={shown} detail={{ header: 'Would it have passed?', cell: outcomeOf }} />
      {considered > shown.length && (
        <p>
          Showing {shown.length} of {considered.toLocaleString('en-US')} results, those that need attention first.
        </p>
      )}
    </>
  )
}

type TriedRow = TriedRule['list'][number]
const outcomeOf = (row: TriedRow) =>
  row.wouldPass === 1 ? ['Yes', ...laterOf(row)].join(', ') : row.reasons.join('; ')

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

const columnsOf = (fields: readonly FieldDef[]): readonly Column<Rule>[] => [
  {
    key: 'testCode',
    header: label.testCode,
    width: 100,
    card: 'title',
    cell: ({ testCode }) => <span className="strong">{testCode}</span>,
  },
  isActiveColumn,
  { key: 'limits', header: 'Passes', width: 130, cell: limitsOf },
  { key: 'delta', header: 'Delta', width: 130, cell: deltaOf },
  specimenColumn,
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
  versionColumn,
]
