import type { ReplyOf, Route } from '@lis/contract/kit/route.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from './api.ts'
import type { CallArgs, CallInput } from './api-client.ts'
import { ApiError, isGone } from './api-error.ts'
import { events, type NoticeType } from './events.ts'
import { sendAnswered } from './questions.ts'
import { pageSession } from './session.ts'
import { createWriteKeys, mayBeDone } from './write-keys.ts'

export interface SaveOptions {
  /** Paths of the reads that the write makes old; all that are on screen when not said. */
  invalidates?: readonly string[]
  /** How a failure is announced: saves warn, deletes and uploads are errors (TABLE-G13). */
  failure?: NoticeType
  /** What a failure is called, where the answer's own words are not the right ones. */
  wording?: (error: Error) => string
  /** The caller tells of success itself. */
  isSilent?: boolean
  /**
   * Saved by one click, without a form that would show a conflict: it is announced as any failure is, and the save is over only when
   * what is on screen has been read again, so that the next click goes out with the version that is seen.
   */
  isAtOnce?: boolean
}

/** Tells the server which version the writer had in view; it answers 409 when there is a newer one. */
export const ifMatch = (version: number | undefined): Record<string, string> =>
  version === undefined ? {} : { 'if-match': `"${version}"` }

/**
 * A write of the contract: shows what the server asks before it saves, announces what came of it, renews what is on screen, and goes
 * on after a session that ran out in the middle. Throws what went wrong, so that a form can mark its fields.
 */
export const useSave = <R extends Route>(
  route: R,
  { invalidates, failure = 'warning', wording = ownWords, isSilent, isAtOnce }: SaveOptions = {},
) => {
  const client = useQueryClient()
  const [keys] = useState(createWriteKeys)
  return useCallback(
    async (...[input]: CallArgs<R>): Promise<ReplyOf<R>> => {
      // One key for all attempts: the first may have been carried out although its answer never came.
      const send = (given: CallInput<R> | undefined) => (key: string) => {
        const headers = { 'idempotency-key': key, ...given?.headers }
        const args = [{ ...given, headers } as CallInput<R>] as CallArgs<R>
        return withNewSession(() => call(route, ...args))
      }
      const readAgain = () =>
        client.invalidateQueries(
          invalidates ? { predicate: (query) => invalidates.includes(String(query.queryKey[0])) } : {},
        )
      try {
        const reply = await sendAnswered((answers) => {
          const given = answers
            ? ({ ...input, body: { ...(input?.body as object | undefined), answers } } as CallInput<R>)
            : input
          return keys.send([route.method, route.path, { ...given, signal: undefined }], send(given))
        })
        if (!isSilent) events.emit('notice', { type: 'info', message: (reply as { message?: string }).message })
        const renewed = readAgain()
        // A form need not wait for lists behind it: the write is done.
        if (isAtOnce) await renewed
        return reply
      } catch (error) {
        const isTaken = isAtOnce && isConflict(error)
        if (isTaken || isAnnounced(error))
          events.emit('notice', { type: failure, message: wording(error as Error), cause: error })
        if (isTaken) await readAgain()
        // It may have been carried out: whoever looks before trying again is to see it. Or the record is gone, and the page is to say so.
        else if (isGone(error) || (mayBeDone(error) && !isSessionLoss(error))) void readAgain()
        throw error
      }
    },
    [client, keys, route, invalidates, failure, wording, isSilent, isAtOnce],
  )
}

const ownWords = ({ message }: Error) => message

/** Sends again after the same person has signed in again in place; a write of one person is never sent for another. */
export const withNewSession = async <T>(send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    if (!isSessionLoss(error) || !pageSession.held()) throw error
    if ((await pageSession.whenSettled()) !== 'sameUser') throw error
    return send()
  }
}

const isSessionLoss = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 408 || error.isCancelled)

const isConflict = (error: unknown) => error instanceof ApiError && error.status === 409 && error.current !== undefined

// A conflict opens its own dialog.
const isAnnounced = (error: unknown) => isUnheard(error) && !isConflict(error)

/** Not told yet: 403 is announced by its event, the end of a session by the sign-in. */
export const isUnheard = (error: unknown): boolean => {
  if (!(error instanceof ApiError)) return error instanceof Error
  return !error.isCancelled && ![401, 403, 408].includes(error.status)
}
