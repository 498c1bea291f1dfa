import { can } from '@lis/contract/access/permissions.ts'
import { autoverifyLabels, type SwitchInput, type tryInput } from '@lis/contract/autoverification.ts'
import Button from '@mui/material/Button'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'
import type { z } from 'zod'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ifMatch } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { OnOff, RuleActions, type RuleDialog } from './rule-actions.tsx'
import { SwitchDialog, TryDialog } from './rule-dialogs.tsx'

interface SwitchableRule extends Values {
  id: number
  version: number
  isActive: 0 | 1
}

interface OfRule {
  params: { id: number }
}

interface RulesCardProps<Rule extends SwitchableRule, S extends z.ZodType, Tried> {
  title: string
  noun: 'rule' | 'reflex rule'
  empty: string
  addIntro: string
  deleteNote: string
  query: UseQueryResult<{ data: Rule[] }>
  schema: S
  fields: readonly FieldDef[]
  columns: readonly Column<Rule>[]
  /** The rule as text. */
  nameOf: (rule: Rule) => string
  save: {
    create: (input: { body: z.output<S> }) => Promise<unknown>
    update: (input: OfRule & { body: z.output<S>; headers: Record<string, string> }) => Promise<unknown>
    remove: (input: OfRule) => Promise<unknown>
    turn: (input: OfRule & { body: SwitchInput }) => Promise<unknown>
  }
  run: (input: OfRule & { body: z.input<typeof tryInput> }) => Promise<{ data: Tried }>
  Outcome: ComponentType<{ tried: Tried }>
}

const idOf = ({ id }: SwitchableRule) => String(id)

/** Rules that are tried, switched on and off, changed and deleted in dialogs. */
export const RulesCard = <Rule extends SwitchableRule, S extends z.ZodType, Tried>({
  title,
  noun,
  empty,
  addIntro,
  deleteNote,
  query,
  schema,
  fields,
  columns,
  nameOf,
  save,
  run,
  Outcome,
}: RulesCardProps<Rule, S, Tried>) => {
  const mayManage = can(useRole(), 'autoverify.manage')
  const [dialog, setDialog] = useState<RuleDialog<Rule> | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const close = () => setDialog(null)
  const rule = dialog?.rule
  const params = { id: rule?.id ?? 0 }
  const subject = rule ? nameOf(rule) : ''
  return (
    <>
      <CardTable
        title={title}
        query={query}
        columns={mayManage ? [...columns, actionsColumn(nameOf, setDialog)] : columns}
        rowId={idOf}
        rowName={nameOf}
        empty={empty}
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
          title={`Add ${noun}`}
          intro={<p>{addIntro}</p>}
          submitLabel="Add"
          columns={2}
          schema={schema}
          fields={fields}
          onSubmit={(body) => save.create({ body })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'edit' && (
        <FormDialog
          title={`Edit ${noun}`}
          subject={subject}
          intro={<p>A changed rule is a new version, and off until it is switched on again.</p>}
          submitLabel="Save"
          columns={2}
          schema={schema}
          fields={fields}
          values={{ ...dialog.rule }}
          version={dialog.rule.version}
          onSubmit={(body, { version }) => save.update({ params, body, headers: ifMatch(version) })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'switch' && (
        <SwitchDialog
          subject={subject}
          isActive={dialog.rule.isActive}
          onSwitch={(body) => save.turn({ params, body })}
          onClose={close}
        />
      )}
      {dialog?.kind === 'try' && (
        <TryDialog subject={subject} run={async (body) => (await run({ params, body })).data} onClose={close}>
          {(tried) => <Outcome tried={tried} />}
        </TryDialog>
      )}
      <ConfirmDialog
        isOpen={dialog?.kind === 'delete'}
        title={`Delete this ${noun}?`}
        subject={subject}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={() =>
          whileBusy(async () => {
            await save.remove({ params })
            close()
          })
        }
        onCancel={close}
      >
        {deleteNote}
      </ConfirmDialog>
    </>
  )
}

const actionsColumn = <Rule extends SwitchableRule>(
  nameOf: (rule: Rule) => string,
  onOpen: (dialog: RuleDialog<Rule>) => void,
): Column<Rule> => ({
  key: 'actions',
  header: 'Actions',
  width: 260,
  cell: (rule) => <RuleActions rule={rule} name={nameOf(rule)} onOpen={onOpen} />,
})

export const isActiveColumn: Column<Pick<SwitchableRule, 'isActive'>> = {
  key: 'isActive',
  header: autoverifyLabels.isActive,
  width: 80,
  card: 'head',
  cell: ({ isActive }) => <OnOff isOn={isActive === 1} />,
}
export const specimenColumn: Column<{ maxSpecimenHours: number | null }> = {
  key: 'maxSpecimenHours',
  header: 'Specimen',
  width: 110,
  cell: ({ maxSpecimenHours }) => (maxSpecimenHours === null ? 'any age' : `up to ${maxSpecimenHours} h`),
}
export const versionColumn: Column<{ ruleVersion: number }> = {
  key: 'ruleVersion',
  header: 'Version',
  width: 70,
  align: 'right',
  cell: ({ ruleVersion }) => ruleVersion,
}
