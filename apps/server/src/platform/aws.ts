import { Unreachable } from './errors.ts'

/** What to throw when a call through an official AWS client failed: without an answer its network code would read as one of the database's. */
export const toUnreachable = (error: unknown, message: string): unknown => {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode === undefined ? new Unreachable(message, { cause: error }) : error
}
