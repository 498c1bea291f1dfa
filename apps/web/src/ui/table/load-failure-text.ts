import { messages } from '@lis/contract/messages.ts'

/** The message of a failed load: the server's, the error's, or a general one. */
export const loadFailureText = (error: unknown): string =>
  (error instanceof Error && error.message) || messages.listFailed
