import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { z } from 'zod'
import { isSameIn } from './conflict.ts'
import { emptyValue, type FieldDef, type Values } from './field-types.ts'

/** The fields that this person sees with these values. */
export const visibleFields = (fields: readonly FieldDef[], values: Values, role: Role): FieldDef[] =>
  fields.filter(
    (field) => (field.visibleTo === undefined || can(role, field.visibleTo)) && !(field.isHidden?.(values) ?? false),
  )

/** Neighbours of one section together, in the order of the fields. */
export const bySection = (fields: readonly FieldDef[]): { section: string | undefined; fields: FieldDef[] }[] => {
  const groups: { section: string | undefined; fields: FieldDef[] }[] = []
  for (const field of fields) {
    const last = groups.at(-1)
    if (last && last.section === field.section) last.fields.push(field)
    else groups.push({ section: field.section, fields: [field] })
  }
  return groups
}

/** What the form starts with: the record's values, or those of a new one, and the empty value of its kind for all others. */
export const startValues = (fields: readonly FieldDef[], given?: Values): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial }) => [name, given?.[name] ?? (given ? undefined : initial) ?? emptyValue(kind)]),
  )

/** What is checked and sent: only what is in view. */
export const valuesOf = (fields: readonly FieldDef[], values: Values): Values =>
  Object.fromEntries(fields.map(({ name }) => [name, values[name]]))

/**
 * A draft holds what was typed, and never a secret. What was not touched is not in it: by the time the draft is resumed, somebody else
 * may have changed that. The parts of a value, and a state and its country, stay together.
 */
export const draftValues = (fields: readonly FieldDef[], base: Values, values: Values): Values => {
  const changed = fields.filter((field) => !isSameIn(field, values[field.name], base[field.name]))
  const isWith = (field: FieldDef) =>
    changed.some((one) => one === field || (one.whole && one.whole === field.whole) || field.clears?.includes(one.name))
  return valuesOf(
    fields.filter((field) => field.kind !== 'password' && !field.isSecret && isWith(field)),
    values,
  )
}

/** What tells one draft from another: the name in it, 'Older, Alice', or else the first text. */
export const titleOfDraft = (fields: readonly FieldDef[], body: Values): string => {
  const texts = fields.filter(({ kind, isSecret }) => ['text', 'input', 'multiline'].includes(kind) && !isSecret)
  const textOf = (name: string | undefined) => (name && typeof body[name] === 'string' ? body[name].trim() : '')
  const ending = (end: string) => textOf(texts.find(({ name }) => name.endsWith(end) && textOf(name))?.name)
  const name = [ending('LastName'), ending('FirstName')].filter(Boolean).join(', ')
  const first = texts.map((field) => textOf(field.name)).find(Boolean)
  return (name || first || 'Without a name').slice(0, 80)
}

/** A changed field takes with it what hangs on it: a new country has other states. */
export const clearedBy = (fields: readonly FieldDef[], name: string): [name: string, value: unknown][] => {
  const cleared = fields.find((field) => field.name === name)?.clears ?? []
  return cleared.map((other) => [other, emptyValue(fields.find((field) => field.name === other)?.kind ?? 'text')])
}

export interface CheckResult {
  /** What the schema made of the values; undefined while something is wrong. */
  data?: unknown
  /** The first complaint about each field, by name. */
  errors: Record<string, string>
  /** Complaints about no field in view. */
  others: string[]
}

/** Checks all fields in view at once by the schema of the contract. What is hidden is neither checked nor complained about. */
export const checkValues = async (
  schema: z.ZodType,
  fields: readonly FieldDef[],
  values: Values,
): Promise<CheckResult> => {
  const visible = valuesOf(fields, values)
  const result = await schema.safeParseAsync(visible)
  if (result.success) return { data: result.data, errors: {}, others: [] }
  const complaints = result.error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }))
  const { errors } = sortErrors(complaints, fields)
  const others = complaints.filter(({ field }) => field === '').map(({ message }) => message)
  if (Object.keys(errors).length > 0 || others.length > 0) return { errors, others }
  return { data: await parseWithout(schema, complaints, visible), errors: {}, others: [] }
}

/** A rule about a hidden field does not hold here: the rest is read without it, and the server has the last word. */
const parseWithout = async (schema: z.ZodType, hidden: readonly FieldError[], values: Values): Promise<unknown> => {
  if (!(schema instanceof z.ZodObject)) return values
  const names = hidden.map(({ field }) => field.split('.')[0] ?? '').filter((name) => name in schema.shape)
  const rest = z.object(Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !names.includes(name))))
  return (await rest.safeParseAsync(values)).data ?? values
}

/** Lays complaints under the fields they name ('deptIds.0' is about deptIds); the rest concerns the form as a whole. */
export const sortErrors = (complaints: readonly FieldError[], fields: readonly FieldDef[]) => {
  const errors: Record<string, string> = {}
  const others: string[] = []
  for (const { field, message } of complaints) {
    const known = fields.find(({ name }) => field === name || field.startsWith(`${name}.`))
    if (!known) others.push(message)
    else errors[known.name] ??= message
  }
  return { errors, others }
}
