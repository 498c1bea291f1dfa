import { z } from 'zod'
import { messages } from './messages.ts'
import { requiredId } from './validation.ts'

/** A field that stays unchanged unless it is sent; if sent, its rule and its message apply. */
export const updateField = <T extends z.ZodType>(field: T) =>
  (z.custom<z.input<T>>() as z.ZodType<z.input<T>, z.input<T>>)
    .pipe(field as T & z.ZodType<z.output<T>, z.input<T>>)
    .optional()

type UpdateFields<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodType ? ReturnType<typeof updateField<S[K]>> : never
}

/** `updateField` for every field of a form. Zod's `partial` would turn an absent optional text into null. */
export const updateFields = <S extends z.ZodRawShape>(shape: S) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, updateField(field as z.ZodType)]),
  ) as unknown as UpdateFields<S>

/** Ids of a multi-select that may be empty; duplicates are dropped. */
export const optionalIds = (label: string) =>
  z
    .array(requiredId(label), { error: messages.invalid(label) })
    .max(1000, messages.invalid(label))
    .nullish()
    .transform((ids) => [...new Set(ids)])

/** The record after a PUT: sent fields over stored ones. */
export const mergeUpdate = <Stored extends object>(
  record: Stored,
  sent: { [K in keyof Stored]?: Stored[K] | undefined },
): Stored => ({
  ...record,
  ...(Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<Stored>),
})
