import type { Answers, Question } from '@lis/contract/kit/questions.ts'
import type { ReplyOf, Route } from '@lis/contract/kit/route.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from './api.ts'
import type { CallArgs, CallInput } from './api-client.ts'
import { ApiError, isNotFound } from './api-error.ts'
import { events, type NoticeType } from './events.ts'
import { createIdempotencyKeys, isOutcomeUnknown } from './idempotency-keys.ts'
import { sendWithQuestions } from './questions.ts'
import { pageSession } from './session.ts'

export interface SaveOptions {
  /** Paths of the queries that the write invalidates; by default all active ones. */
  invalidates?: readonly string[]
  /** Type of the notice for a failure: saves warn, deletes and uploads are errors (TABLE-G13). */
  failure?: NoticeType
  /** The message for a failure, where the server's message does not fit. */
  errorMessage?: (error: Error) => string
  /** The caller announces success itself. */
  isSilent?: boolean
  /**
   * Saved by one click, without a form that would show a conflict: a conflict is announced like any failure, and the save ends only when
   * the data on screen has been read again, so that the next click uses the version on screen.
   */
  isImmediate?: boolean
  /** Whether an answer changes the form, which is shown again before anything is sent. */
  isForForm?: (answers: Answers, questions: readonly Question[]) => boolean
}

/** Sends the version that the user had in view; the server answers 409 if there is a newer one. */
export const ifMatch = (version: number | undefined): Record<string, string> =>
  version === undefined ? {} : { 'if-match': `"${version}"` }

/**
 * A write of the contract: asks the server's questions, announces the result, refreshes the data on screen, and continues after an expired
 * session. Throws the error, so that a form can mark its fields.
 */
export const useSave = <R extends Route>(
  route: R,
  {
    invalidates,
    failure = 'warning',
    errorMessage = serverMessage,
    isSilent,
    isImmediate,
    isForForm,
  }: SaveOptions = {},
) => {
  const client = useQueryClient()
  const [keys] = useState(createIdempotencyKeys)
  return useCallback(
    async (...[input]: CallArgs<R>): Promise<ReplyOf<R>> => {
      // One key for all attempts: the first may have been carried out although its answer was lost.
      const send = (given: CallInput<R> | undefined) => (key: string) => {
        const headers = { 'idempotency-key': key, ...given?.headers }
        const args = [{ ...given, headers } as CallInput<R>] as CallArgs<R>
        return retryAfterSignIn(() => call(route, ...args))
      }
      const refetch = () =>
        client.invalidateQueries(
          invalidates ? { predicate: (query) => invalidates.includes(String(query.queryKey[0])) } : {},
        )
      try {
        const reply = await sendWithQuestions((answers) => {
          const given = answers
            ? ({ ...input, body: { ...(input?.body as object | undefined), answers } } as CallInput<R>)
            : input
          return keys.send([route.method, route.path, { ...given, signal: undefined }], send(given))
        }, isForForm)
        if (!isSilent) events.emit('notice', { type: 'info', message: (reply as { message?: string }).message })
        const renewed = refetch()
        // A form need not wait for other queries: the write is done.
        if (isImmediate) await renewed
        return reply
      } catch (error) {
        const isTaken = isImmediate && isConflict(error)
        if (isTaken || shouldAnnounce(error))
          events.emit('notice', { type: failure, message: errorMessage(error as Error), cause: error })
        if (isTaken) await refetch()
        // The write may have been carried out, and the user should see that before trying again. Or the record is gone, and the page should
        // say so.
        else if (isNotFound(error) || (isOutcomeUnknown(error) && !isSessionLoss(error))) void refetch()
        throw error
      }
    },
    [client, keys, route, invalidates, failure, errorMessage, isSilent, isImmediate, isForForm],
  )
}

const serverMessage = ({ message }: Error) => message

/** Sends again after the same user has signed in again in place; one user's write is never sent for another. */
export const retryAfterSignIn = async <T>(send: () => Promise<T>): Promise<T> => {
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
const shouldAnnounce = (error: unknown) => needsNotice(error) && !isConflict(error)

/** Not announced yet: 403 has its own event, and the end of a session opens the sign-in. */
export const needsNotice = (error: unknown): boolean => {
  if (!(error instanceof ApiError)) return error instanceof Error
  return !error.isCancelled && ![401, 403, 408].includes(error.status)
}
