import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { z } from 'zod'
import { isSameValue } from './conflict.ts'
import { emptyValue, type FieldDef, type Values } from './field-types.ts'

/** The fields that this user sees with these values. */
export const visibleFields = (fields: readonly FieldDef[], values: Values, role: Role): FieldDef[] =>
  fields.filter(
    (field) => (field.visibleTo === undefined || can(role, field.visibleTo)) && !(field.isHidden?.(values) ?? false),
  )

/** Groups neighbouring fields of the same section, in order. */
export const bySection = (fields: readonly FieldDef[]): { section: string | undefined; fields: FieldDef[] }[] => {
  const groups: { section: string | undefined; fields: FieldDef[] }[] = []
  for (const field of fields) {
    const last = groups.at(-1)
    if (last && last.section === field.section) last.fields.push(field)
    else groups.push({ section: field.section, fields: [field] })
  }
  return groups
}

/** Initial values: the record's, or the defaults of a new one, and the empty value for all others. */
export const initialValues = (fields: readonly FieldDef[], given?: Values): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial }) => [name, given?.[name] ?? (given ? undefined : initial) ?? emptyValue(kind)]),
  )

/** The values of the visible fields, which are validated and sent. */
const visibleValues = (fields: readonly FieldDef[], values: Values): Values =>
  Object.fromEntries(fields.map(({ name }) => [name, values[name]]))

/**
 * The values of a draft: changed fields, never secrets. Untouched fields are left out, because another user may have changed them by the
 * time the draft is resumed. The parts of a composite value, and a state and its country, stay together.
 */
export const draftValues = (fields: readonly FieldDef[], base: Values, values: Values): Values => {
  const changed = fields.filter((field) => !isSameValue(field, values[field.name], base[field.name]))
  const belongsToChanged = (field: FieldDef) =>
    changed.some(
      (one) =>
        one === field || (one.composite && one.composite === field.composite) || field.clears?.includes(one.name),
    )
  return visibleValues(
    fields.filter((field) => field.kind !== 'password' && !field.isSecret && belongsToChanged(field)),
    values,
  )
}

/** Name of a draft: the person in it, 'Older, Alice', or else the first text. */
export const titleOfDraft = (fields: readonly FieldDef[], body: Values): string => {
  const texts = fields.filter(({ kind, isSecret }) => ['text', 'input', 'multiline'].includes(kind) && !isSecret)
  const textOf = (name: string | undefined) => (name && typeof body[name] === 'string' ? body[name].trim() : '')
  const ending = (end: string) => textOf(texts.find(({ name }) => name.endsWith(end) && textOf(name))?.name)
  const name = [ending('LastName'), ending('FirstName')].filter(Boolean).join(', ')
  const first = texts.map((field) => textOf(field.name)).find(Boolean)
  return (name || first || 'Without a name').slice(0, 80)
}

/** Clears the dependent fields of a changed one: a new country has other states. */
export const clearedFields = (fields: readonly FieldDef[], name: string): [name: string, value: unknown][] => {
  const cleared = fields.find((field) => field.name === name)?.clears ?? []
  return cleared.map((other) => [other, emptyValue(fields.find((field) => field.name === other)?.kind ?? 'text')])
}

export interface CheckResult {
  /** The parsed values; undefined if something is invalid. */
  data?: unknown
  /** The first error of each field, by name. */
  errors: Record<string, string>
  /** Errors of no visible field. */
  formErrors: string[]
}

/** Validates all visible fields with the contract's schema. Hidden fields are ignored. */
export const checkValues = async (
  schema: z.ZodType,
  fields: readonly FieldDef[],
  values: Values,
): Promise<CheckResult> => {
  const visible = visibleValues(fields, values)
  const result = await schema.safeParseAsync(visible)
  if (result.success) return { data: result.data, errors: {}, formErrors: [] }
  const issues = result.error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }))
  const { errors } = sortErrors(issues, fields)
  const formErrors = issues.filter(({ field }) => field === '').map(({ message }) => message)
  if (Object.keys(errors).length > 0 || formErrors.length > 0) return { errors, formErrors }
  return { data: await parseWithout(schema, issues, visible), errors: {}, formErrors: [] }
}

/** Rules about hidden fields do not apply here: the rest is parsed without them, and the server validates everything. */
const parseWithout = async (schema: z.ZodType, hidden: readonly FieldError[], values: Values): Promise<unknown> => {
  if (!(schema instanceof z.ZodObject)) return values
  const names = hidden.map(({ field }) => field.split('.')[0] ?? '').filter((name) => name in schema.shape)
  const rest = z.object(Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !names.includes(name))))
  return (await rest.safeParseAsync(values)).data ?? values
}

/** Assigns errors to the fields they name ('deptIds.0' belongs to deptIds); the rest concerns the whole form. */
export const sortErrors = (issues: readonly FieldError[], fields: readonly FieldDef[]) => {
  const errors: Record<string, string> = {}
  const formErrors: string[] = []
  for (const { field, message } of issues) {
    const known = fields.find(({ name }) => field === name || field.startsWith(`${name}.`))
    if (!known) formErrors.push(message)
    else errors[known.name] ??= message
  }
  return { errors, formErrors }
}
