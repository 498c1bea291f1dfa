import { messages } from '@lis/contract/messages.ts'

/** What a failed load says: the server's words, or the error's, or at least that it failed. */
export const loadFailureText = (error: unknown): string =>
  (error instanceof Error && error.message) || messages.listFailed
