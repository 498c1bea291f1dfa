import { defaultQcRules, type QcRule, type QcRuleAction, qcRules } from '@lis/contract/qc-rules.ts'
import { qcLabels as label, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { z } from 'zod'
import { read } from '../../lib/query.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import type { SetupOptions } from './setup-options.ts'

type Plan = z.infer<typeof qualityControlRoutes.plans.reply>['data'][number]

const idOf = ({ id }: Plan) => String(id)
const nameOf = ({ testCode }: Plan) => testCode
const ruleField = (rule: QcRule) => `rule ${rule}`
const actions = [
  { value: 'WARN', label: 'Warning' },
  { value: 'REJECT', label: 'Rejection' },
]

const { rules: _, ...others } = qualityControlRoutes.savePlan.body.shape
const schema = z.object({
  ...others,
  ...Object.fromEntries(
    qcRules.map((rule) => [
      ruleField(rule),
      z.preprocess((value) => value || null, z.enum(['WARN', 'REJECT']).nullable()),
    ]),
  ),
})

/** The form's values for a plan: each rule with its action, or none. */
const toForm = (plan: Omit<Plan, 'id' | 'version'> | null) => ({
  ...plan,
  ...Object.fromEntries(
    qcRules.map((rule) => [
      ruleField(rule),
      (plan?.rules ?? defaultQcRules).find((chosen) => chosen.rule === rule)?.action ?? '',
    ]),
  ),
})

interface PlansCardProps {
  mayManage: boolean
  options: SetupOptions
}

/** Which rules apply to a test on an instrument, and how often controls are due. */
export const PlansCard = ({ mayManage, options }: PlansCardProps) => {
  const [editing, setEditing] = useState<{ plan: Plan | null } | null>(null)
  const save = useSave(qualityControlRoutes.savePlan)
  const query = useQuery(read(qualityControlRoutes.plans, { query: { instrumentId: null, testCode: null } }))
  const columns = useMemo(
    () => columnsOf(options.instruments, mayManage ? (plan) => setEditing({ plan }) : null),
    [options.instruments, mayManage],
  )
  const isNew = editing?.plan === null
  const fields: FieldDef[] = [
    {
      name: 'testCode',
      label: label.testCode,
      kind: 'autocomplete',
      isRequired: true,
      isDisabled: !isNew,
      options: options.tests,
    },
    {
      name: 'instrumentId',
      label: label.instrumentId,
      kind: 'select',
      isRequired: true,
      isDisabled: !isNew,
      options: options.instruments,
    },
    { name: 'everyHours', label: label.everyHours, kind: 'number', hint: '8 a shift, 24 a day' },
    { name: 'everyResults', label: label.everyResults, kind: 'number' },
    { name: 'allowedErrorPct', label: label.allowedErrorPct, kind: 'text', isWide: true, hint: 'For sigma' },
    ...qcRules.map((rule): FieldDef => ({ name: ruleField(rule), label: rule, kind: 'select', options: actions })),
  ]
  return (
    <>
      <CardTable
        title="Plans"
        query={query}
        columns={columns}
        rowId={idOf}
        rowName={nameOf}
        empty="No plan yet: controls without one count as due."
        actions={
          mayManage && (
            <Button startIcon={<PlusIcon />} onClick={() => setEditing({ plan: null })}>
              Add plan
            </Button>
          )
        }
      />
      {editing && (
        <FormDialog
          title={isNew ? 'Add plan' : 'Edit plan'}
          intro={<p>It applies to runs that are entered from now on.</p>}
          submitLabel="Save"
          columns={2}
          schema={schema}
          values={toForm(editing.plan)}
          version={editing.plan?.version}
          fields={fields}
          onSubmit={(form, { version }) => {
            const { testCode, instrumentId, everyHours, everyResults, allowedErrorPct } = form
            const chosen = form as Record<string, unknown>
            const rules = qcRules.flatMap((rule) => {
              const action = chosen[ruleField(rule)] as QcRuleAction | null
              return action ? [{ rule, action }] : []
            })
            return save({
              body: { testCode, instrumentId, everyHours, everyResults, allowedErrorPct, rules },
              headers: ifMatch(version),
            })
          }}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

const columnsOf = (
  instruments: SetupOptions['instruments'],
  onEdit: ((plan: Plan) => void) | null,
): readonly Column<Plan>[] => [
  {
    key: 'testCode',
    header: label.testCode,
    width: 100,
    card: 'title',
    cell: ({ testCode }) => <span className="strong">{testCode}</span>,
  },
  {
    key: 'instrument',
    header: label.instrumentId,
    width: 160,
    cell: ({ instrumentId }) => instruments.find(({ value }) => value === instrumentId)?.label ?? `#${instrumentId}`,
  },
  {
    key: 'rules',
    header: label.rules,
    width: 380,
    cell: ({ rules }) => rules.map(({ rule, action }) => (action === 'WARN' ? `${rule} (warning)` : rule)).join(', '),
  },
  { key: 'everyHours', header: label.everyHours, width: 90, align: 'right', cell: ({ everyHours }) => everyHours },
  {
    key: 'everyResults',
    header: label.everyResults,
    width: 100,
    align: 'right',
    cell: ({ everyResults }) => everyResults,
  },
  {
    key: 'allowedErrorPct',
    header: label.allowedErrorPct,
    width: 110,
    align: 'right',
    cell: ({ allowedErrorPct }) => allowedErrorPct,
  },
  ...(onEdit
    ? [
        {
          key: 'edit',
          header: 'Actions',
          width: 80,
          cell: (plan: Plan) => (
            <Button size="small" variant="text" onClick={() => onEdit(plan)}>
              Edit
            </Button>
          ),
        },
      ]
    : []),
]
