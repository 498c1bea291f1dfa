import { messages } from '@lis/contract/messages.ts'
import { closeSnackbar, enqueueSnackbar, type SnackbarKey, SnackbarProvider } from 'notistack'
import { type ReactNode, useEffect, useMemo } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { events, type Notice, type NoticeType } from '../lib/events.ts'
import { pageSession } from '../lib/session.ts'
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

/** On screen, or waiting for a place there. */
const open = new Map<SnackbarKey, Notice>()
const closeThose = (are: (notice: Notice) => boolean) => {
  for (const [key, notice] of open) if (are(notice)) closeSnackbar(key)
}
const mayStay = ({ stays }: Notice) => stays !== undefined

const show = (notice: Notice, onClose: () => void): SnackbarKey => {
  const message = typeof notice.message === 'string' ? notice.message : messages.noticeWithoutText
  const hasOffer = notice.downloadUrl !== undefined || notice.action !== undefined
  // A second save is told as the first one was: the card that says so has its whole time again.
  if (!hasOffer && open.has(message)) events.emit('noticeRepeated', message)
  const key = enqueueSnackbar(message, {
    // The same words stand once, unless they offer something: a second download must not hide behind the first.
    ...(hasOffer ? {} : { key: message, preventDuplicate: true }),
    variant: 'lis',
    notice,
    durationMs: hasOffer ? longDurationMs : durationMs,
    // The card keeps the time itself, so that its bar tells the truth.
    autoHideDuration: null,
    // Where there are too many, the oldest of the others makes room.
    persist: mayStay(notice),
    onClose: () => {
      open.delete(key)
      onClose()
    },
  })
  open.set(key, notice)
  return key
}

/** Shows what is announced by `useNotify` and by the `notice` event. Stands once, around everything. */
export const NoticeProvider = ({ children }: { children: ReactNode }) => {
  useEffect(() => {
    // Calls that failed with the same words share a card.
    const failedCalls = new Map<SnackbarKey, Set<string>>()
    const tell = (notice: Notice) => {
      const key = show(notice, () => failedCalls.delete(key))
      const call = callOf(notice)
      if (call !== undefined) failedCalls.set(key, (failedCalls.get(key) ?? new Set()).add(call))
    }
    // A failure must not stand beside the success that came after it, and stays while another call has failed with its words.
    const forget = (call: string) => {
      for (const [key, calls] of failedCalls) if (calls.delete(call) && calls.size === 0) closeSnackbar(key)
    }
    let reader = pageSession.get()?.access.userId
    const stop = [
      // What was left for one person to read is not shown to the next.
      pageSession.subscribe(() => {
        const now = pageSession.get()?.access.userId
        if (now !== reader) closeThose(mayStay)
        reader = now
      }),
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
      dismissAll: () => closeThose((notice) => !mayStay(notice)),
    }
  }, [])
