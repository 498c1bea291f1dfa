import { Unreachable } from './errors.ts'

/** Converts an error of an AWS client. Without a reply its network code would be taken for an error of the database. */
export const toUnreachable = (error: unknown, message: string): unknown => {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode === undefined ? new Unreachable(message, { cause: error }) : error
}
