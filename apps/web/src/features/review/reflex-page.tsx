import { can } from '@lis/contract/access/permissions.ts'
import { interfaceRoutes } from '@lis/contract/interfaces.ts'
import {
  reflexLabels as label,
  type ReflexRule,
  reflexRoutes as routes,
  type TriedReflexRule,
} from '@lis/contract/reflex.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { reflexRuleText } from '../../domain/reflex-rule-text.ts'
import { call } from '../../lib/api.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { OnOff, RuleActions, type RuleDialog } from './rule-actions.tsx'
import { Figures, SwitchDialog, Tried, TryDialog } from './rule-dialogs.tsx'
import { RulesFrame } from './rules-frame.tsx'

const idOf = ({ id }: ReflexRule) => String(id)

/** Which result of a test adds which other tests, for clients that agree to it. */
export const ReflexRulesPage = () => {
  const mayManage = can(useRole(), 'autoverify.manage')
  const [dialog, setDialog] = useState<RuleDialog<ReflexRule> | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const create = useSave(routes.createRule)
  const update = useSave(routes.updateRule)
  const remove = useSave(routes.removeRule)
  const turn = useSave(routes.switchRule)
  const fields = useFields()
  const close = () => setDialog(null)
  const rule = dialog?.rule
  return (
    <RulesFrame current="/review/reflex-rules">
      <CardTable
        title="Reflex rules"
        query={useQuery(read(routes.rules, { query: {} }))}
        columns={columnsOf(mayManage ? setDialog : null)}
        rowId={idOf}
        rowName={reflexRuleText}
        empty="No result adds a test until a rule is switched on and a client agrees to it."
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
          title="Add reflex rule"
          intro={<p>A new rule is off. Clients agree to it on their own pages.</p>}
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
          title="Edit reflex rule"
          subject={reflexRuleText(rule)}
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
          subject={reflexRuleText(rule)}
          isActive={rule.isActive}
          onSwitch={(body) => turn({ params: { id: rule.id }, body })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'try' && rule && (
        <TryDialog
          subject={reflexRuleText(rule)}
          run={async (body) => (await call(routes.tryRule, { params: { id: rule.id }, body })).data}
          onClose={close}
        >
          {(tried) => <Outcome tried={tried} />}
        </TryDialog>
      )}
      <ConfirmDialog
        isOpen={dialog?.kind === 'delete'}
        title="Delete this reflex rule?"
        subject={rule ? reflexRuleText(rule) : ''}
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
        Tests that it has added stay ordered.
      </ConfirmDialog>
    </RulesFrame>
  )
}

const mostShown = 200

const Outcome = ({ tried }: { tried: TriedReflexRule }) => {
  const { considered, wouldPass, laterCorrected, laterFailed, critical, list } = tried
  const figures = [
    ['results', considered, false],
    ['meet the condition', wouldPass, false],
    ['of these later corrected', laterCorrected, laterCorrected > 0],
    ['later failed', laterFailed, laterFailed > 0],
    ['critical', critical, false],
  ] as const
  const met = list.filter((row) => row.wouldPass === 1).slice(0, mostShown)
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
      {met.length > 0 && (
        <div style={{ maxHeight: 320, overflow: 'auto' }}>
          <Tried>
            <tbody>
              {met.map((row) => (
                <tr key={row.reqTestId}>
                  <td>
                    <Link to={`/requisitions/${row.reqId}/show/tests`}>#{row.reqId}</Link>
                  </td>
                  <td>
                    <b>{row.value}</b>
                  </td>
                  <td>
                    {[
                      row.wasCorrected === 1 && 'later corrected',
                      row.wasFailed === 1 && 'later failed',
                      row.isCritical === 1 && 'critical',
                    ]
                      .filter(Boolean)
                      .join(', ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </Tried>
        </div>
      )}
    </>
  )
}

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
      hint: 'An older specimen becomes an issue',
    },
  ]
}

const columnsOf = (onOpen: ((dialog: RuleDialog<ReflexRule>) => void) | null): readonly Column<ReflexRule>[] => [
  {
    key: 'rule',
    header: 'Rule',
    width: 380,
    card: 'title',
    cell: (rule) => <span className="strong">{reflexRuleText(rule)}</span>,
  },
  { key: 'isActive', header: 'On', width: 80, card: 'head', cell: ({ isActive }) => <OnOff isOn={isActive === 1} /> },
  {
    key: 'maxSpecimenHours',
    header: 'Specimen',
    width: 110,
    cell: ({ maxSpecimenHours }) => (maxSpecimenHours === null ? 'any age' : `up to ${maxSpecimenHours} h`),
  },
  { key: 'ruleVersion', header: 'Version', width: 70, align: 'right', cell: ({ ruleVersion }) => ruleVersion },
  ...(onOpen
    ? [
        {
          key: 'actions',
          header: 'Actions',
          width: 260,
          cell: (rule: ReflexRule) => <RuleActions rule={rule} name={reflexRuleText(rule)} onOpen={onOpen} />,
        },
      ]
    : []),
]
