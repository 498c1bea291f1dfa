import { messages } from '@lis/contract/messages.ts'
import { closeSnackbar, enqueueSnackbar, type SnackbarKey, SnackbarProvider } from 'notistack'
import { type ReactNode, useEffect, useMemo } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { events, type Notice, type NoticeType } from '../lib/events.ts'
import { NoticeCard } from './notice-card.tsx'

declare module 'notistack' {
  interface VariantOverrides {
    lis: { notice: Notice; durationMs: number }
    default: false
    success: false
    error: false
    warning: false
    info: false
  }
}

const durationMs = 5_000
/** What offers something to do must be read and reached. */
const longDurationMs = 10_000

const callOf = ({ cause }: Notice) => (cause instanceof ApiError ? cause.call : undefined)

const show = (notice: Notice): SnackbarKey => {
  const message = typeof notice.message === 'string' ? notice.message : messages.noticeWithoutText
  const call = callOf(notice)
  return enqueueSnackbar(message, {
    // Each call that failed has a card of its own, though the words be the same: a success takes away its own alone.
    ...(call !== undefined && { key: `${call} ${message}` }),
    variant: 'lis',
    notice,
    durationMs: notice.downloadUrl === undefined && !notice.action ? durationMs : longDurationMs,
    preventDuplicate: true,
    // The card keeps the time itself, so that its bar tells the truth.
    persist: true,
  })
}

/** Shows what is announced by `useNotify` and by the `notice` event. Stands once, around everything. */
export const NoticeProvider = ({ children }: { children: ReactNode }) => {
  useEffect(() => {
    const failures = new Map<string, SnackbarKey[]>()
    const tell = (notice: Notice) => {
      const key = show(notice)
      const call = callOf(notice)
      if (call !== undefined) failures.set(call, [...(failures.get(call) ?? []), key])
    }
    // A failure must not stand beside the success that came after it.
    const forget = (call: string) => {
      for (const key of failures.get(call) ?? []) closeSnackbar(key)
      failures.delete(call)
    }
    const stop = [
      events.on('notice', tell),
      events.on('forbidden', (cause) => tell({ type: 'error', message: cause.message, cause })),
      events.on('succeeded', forget),
    ]
    return () => {
      for (const end of stop) end()
    }
  }, [])
  return (
    <SnackbarProvider
      maxSnack={4}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      Components={{ lis: NoticeCard }}
    >
      {children}
    </SnackbarProvider>
  )
}

type Options = Omit<Notice, 'type' | 'message'>

/** Notices by type: `notify.error(message)`. */
export const useNotify = () =>
  useMemo(() => {
    const ofType =
      (type: NoticeType) =>
      (message: unknown, options: Options = {}) =>
        events.emit('notice', { type, message, ...options })
    return {
      info: ofType('info'),
      success: ofType('success'),
      warning: ofType('warning'),
      error: ofType('error'),
      dismissAll: () => closeSnackbar(),
    }
  }, [])
