import { messages } from '@lis/contract/messages.ts'

interface Reply {
  data?: { url?: string } | null
  message: string
}

/** The URL of a report; a reply without one gives the reason in its message (DELIV-53). */
export const reportUrl = ({ data, message }: Reply): string => {
  if (data?.url) return data.url
  throw new Error(message || messages.downloadUrlMissing)
}

/** The text of the warning: a timeout, or the server's message. */
export const reportFailure = (error: unknown, isTimeout: boolean): string =>
  isTimeout ? messages.downloadTimeout : (error as Error).message
