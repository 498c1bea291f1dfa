import { messages } from '@lis/contract/messages.ts'
import { closeSnackbar, enqueueSnackbar, type SnackbarKey, SnackbarProvider } from 'notistack'
import { type ReactNode, useEffect, useMemo } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { type AppEvents, events, type Notice, type NoticeType } from '../lib/events.ts'
import { pageSession } from '../lib/session.ts'
import { runUndo } from '../lib/undo.ts'
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
/** Notices with an action stay longer. */
const longDurationMs = 10_000
/** How long an undo offer waits for the notice of its write. */
const undoNoticeMs = 200

const callOf = ({ cause }: Notice) => (cause instanceof ApiError ? cause.call : undefined)

/** Visible or queued. */
const open = new Map<SnackbarKey, Notice>()
const closeWhere = (matches: (notice: Notice) => boolean) => {
  for (const [key, notice] of open) if (matches(notice)) closeSnackbar(key)
}
const staysOpen = ({ stays }: Notice) => stays !== undefined

const show = (notice: Notice, onClose: () => void): SnackbarKey => {
  const message = typeof notice.message === 'string' ? notice.message : messages.noticeWithoutText
  const hasOffer = notice.downloadUrl !== undefined || notice.action !== undefined
  // A repeated notice restarts the timer of the card that is already shown.
  if (!hasOffer && open.has(message)) events.emit('noticeRepeated', message)
  const key = enqueueSnackbar(message, {
    // Identical messages are shown once, unless they have an action: a second download must not replace the first.
    ...(hasOffer ? {} : { key: message, preventDuplicate: true }),
    variant: 'lis',
    notice,
    durationMs: hasOffer ? longDurationMs : durationMs,
    // The card runs its own timer, so that its bar is exact.
    autoHideDuration: null,
    // When there are too many, the oldest of the others is closed.
    persist: staysOpen(notice),
    onClose: () => {
      open.delete(key)
      onClose()
    },
  })
  open.set(key, notice)
  return key
}

/** Shows notices from `useNotify` and from the `notice` event. Mounted once, at the root. */
export const NoticeProvider = ({ children }: { children: ReactNode }) => {
  useEffect(() => {
    // Failed calls with the same message share a card.
    const failedCalls = new Map<SnackbarKey, Set<string>>()
    const announce = (notice: Notice) => {
      const key = show(notice, () => failedCalls.delete(key))
      const call = callOf(notice)
      if (call !== undefined) failedCalls.set(key, (failedCalls.get(key) ?? new Set()).add(call))
    }
    // Closes the error of a call that has succeeded since, unless another failed call has the same message.
    const closeErrorOf = (call: string) => {
      for (const [key, calls] of failedCalls) if (calls.delete(call) && calls.size === 0) closeSnackbar(key)
    }
    // The notice about a write comes right after its reply, and gets the button; without one there is a notice of its own.
    let undoable: { undoId: number; timer: ReturnType<typeof setTimeout> } | null = null
    const offerUndo = ({ undoId, message }: AppEvents['undoable']) => {
      clearTimeout(undoable?.timer)
      const timer = setTimeout(() => announceWithUndo({ type: 'info', message }), undoNoticeMs)
      undoable = { undoId, timer }
    }
    const announceWithUndo = (notice: Notice) => {
      const offer = undoable
      if (!offer || notice.type === 'error' || notice.action || notice.downloadUrl !== undefined)
        return announce(notice)
      undoable = null
      clearTimeout(offer.timer)
      announce({ ...notice, action: { label: 'Undo', run: () => void runUndo(offer.undoId) } })
    }
    let userId = pageSession.get()?.access.userId
    const stop = [
      // Notices of one user are not shown to the next.
      pageSession.subscribe(() => {
        const now = pageSession.get()?.access.userId
        if (now !== userId) closeWhere(staysOpen)
        userId = now
      }),
      events.on('notice', announceWithUndo),
      events.on('undoable', offerUndo),
      events.on('forbidden', (cause) => announce({ type: 'error', message: cause.message, cause })),
      events.on('succeeded', closeErrorOf),
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
      dismissAll: () => closeWhere((notice) => !staysOpen(notice)),
    }
  }, [])
