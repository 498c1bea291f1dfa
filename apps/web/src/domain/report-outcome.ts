import { messages } from '@lis/contract/messages.ts'

interface Reply {
  data?: { url?: string } | null
  message: string
}

/** The address of a report; a reply without one says why in its message (DELIV-53). */
export const reportUrl = ({ data, message }: Reply): string => {
  if (data?.url) return data.url
  throw new Error(message || messages.downloadUrlMissing)
}

/** What the warning says: that it took too long, or the server's own words. */
export const reportFailure = (error: unknown, isTimeout: boolean): string =>
  isTimeout ? messages.downloadTimeout : (error as Error).message
