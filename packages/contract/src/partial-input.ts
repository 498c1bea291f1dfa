import { z } from 'zod'
import { messages } from './messages.ts'
import { requiredId } from './validation.ts'

/** A field that is left as it is when it is not sent; sent, it keeps its own rule and its own message. */
export const updateField = <T extends z.ZodType>(field: T) =>
  (z.custom<z.input<T>>() as z.ZodType<z.input<T>, z.input<T>>)
    .pipe(field as T & z.ZodType<z.output<T>, z.input<T>>)
    .optional()

type WhenSent<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodType ? ReturnType<typeof updateField<S[K]>> : never
}

/** Every field of a form, each only when it is sent. Zod's own `partial` would make null of an optional text that is absent. */
export const updateFields = <S extends z.ZodRawShape>(shape: S) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, updateField(field as z.ZodType)]),
  ) as unknown as WhenSent<S>

/** Ids of a multi-select that may stay empty; the same one twice counts once. */
export const optionalIds = (label: string) =>
  z
    .array(requiredId(label), { error: messages.invalid(label) })
    .max(1000, messages.invalid(label))
    .nullish()
    .transform((ids) => [...new Set(ids)])

/** The whole of a record once a PUT is done: what was sent, and of the rest what it has. */
export const mergeUpdate = <Whole extends object>(
  record: Whole,
  sent: { [K in keyof Whole]?: Whole[K] | undefined },
): Whole => ({
  ...record,
  ...(Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<Whole>),
})
