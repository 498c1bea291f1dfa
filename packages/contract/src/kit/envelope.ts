import { z } from 'zod'

const message = z.string()

/** A list page: `total` counts all rows in the reader's scope that match the filter. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), total: z.number().int(), message })
/** A list that is never paged. */
export const list = <T extends z.ZodType>(item: T) => z.object({ data: z.array(item), message })
export const one = <T extends z.ZodType>(item: T) => z.object({ data: item, message })
/** The reply of a write that can be undone. */
export const undoable = <T extends z.ZodRawShape>(item: z.ZodObject<T>) =>
  z.object({ data: item.extend({ undoId }), message, undoId })
/** The reply to a create. */
export const newId = one(z.object({ id: z.number().int() }))
/** The id of the undo of this write, where it can be undone for a while. */
const undoId = z.number().int().optional()
/** A reply with nothing but a message. */
export const done = z.object({ message, undoId })
const address = z.object({ url: z.string(), exportUrl: z.string() })
/** The reply of every download; `url` and `exportUrl` are the same address (two spellings in the specification). */
export const download = z.object({ retval: z.literal('SUCCESS'), data: address, message })
/** The reply of every export; without a matching record there is no file, only the message. */
export const exported = z.object({ retval: z.enum(['SUCCESS', 'EMPTY']), data: address.nullable(), message })
