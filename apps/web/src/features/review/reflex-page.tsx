import { interfaceRoutes } from '@lis/contract/interfaces.ts'
import {
  reflexLabels as label,
  type ReflexRule,
  reflexRoutes as routes,
  type TriedReflexRule,
} from '@lis/contract/reflex.ts'
import { useQuery } from '@tanstack/react-query'
import { reflexRuleText } from '../../domain/reflex-rule-text.ts'
import { call } from '../../lib/api.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { laterOf, mostShown, TriedFigures, TriedTable } from './rule-dialogs.tsx'
import { isActiveColumn, RulesCard, specimenColumn, versionColumn } from './rules-card.tsx'
import { RulesFrame } from './rules-frame.tsx'

/** Which result of a test adds which other tests, for clients that agree to it. */
export const ReflexRulesPage = () => (
  <RulesFrame current="/review/reflex-rules">
    <RulesCard
      title="Reflex rules"
      noun="reflex rule"
      empty="No result adds a test until a rule is switched on and a client agrees to it."
      addIntro="A new rule is off. Clients agree to it on their own pages."
      deleteNote="Tests that it has added stay ordered."
      query={useQuery(read(routes.rules, { query: {} }))}
      schema={routes.createRule.body}
      fields={useFields()}
      columns={columns}
      nameOf={reflexRuleText}
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

const Outcome = ({ tried }: { tried: TriedReflexRule }) => (
  <>
    <TriedFigures tried={tried} passed="meet the condition" />
    <TriedTable
      rows={tried.list.filter(({ wouldPass }) => wouldPass === 1).slice(0, mostShown)}
      detail={{ header: 'Later', cell: (row) => laterOf(row).join(', ') }}
    />
  </>
)

const ops = [
  { value: '>', label: 'above' },
  { value: '>=', label: 'at or above' },
  { value: '<', label: 'below' },
  { value: '<=', label: 'at or below' },
  { value: '=', label: 'equal to' },
  { value: 'interpretation', label: 'interpreted as' },
  { value: 'text', label: 'with the text' },
]

const useFields = (): readonly FieldDef[] => {
  const orderables = useQuery(read(interfaceRoutes.orderables)).data?.data ?? []
  const optionsOf = (isPanel: boolean) =>
    orderables
      .filter(({ panelId }) => (panelId !== null) === isPanel)
      .map(({ code, name }) => ({ value: code, label: `${code}, ${name}` }))
  const options = optionsOf(false)
  return [
    { name: 'testCode', label: label.testCode, kind: 'autocomplete', isRequired: true, isWide: true, options },
    { name: 'op', label: label.op, kind: 'select', isRequired: true, options: ops },
    { name: 'value', label: label.value, kind: 'text', isRequired: true },
    { name: 'addTestCodes', label: label.addTestCodes, kind: 'lookupMultiSelect', isWide: true, options },
    {
      name: 'addPanelCodes',
      label: label.addPanelCodes,
      kind: 'lookupMultiSelect',
      isWide: true,
      options: optionsOf(true),
    },
    {
      name: 'maxSpecimenHours',
      label: label.maxSpecimenHours,
      kind: 'number',
      hint: 'For an older specimen an issue is raised instead',
    },
  ]
}

const columns: readonly Column<ReflexRule>[] = [
  {
    key: 'rule',
    header: 'Rule',
    width: 380,
    card: 'title',
    cell: (rule) => <span className="strong">{reflexRuleText(rule)}</span>,
  },
  isActiveColumn,
  specimenColumn,
  versionColumn,
]
