import { type Draft, draftRoutes } from '@lis/contract/drafts.ts'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { call } from './api.ts'
import { randomKey } from './api-client.ts'
import { createDraftWriter, draftParams, type Values } from './draft-writer.ts'
import { isViewing } from './session.ts'
import { unsaved } from './unsaved.ts'

export type FormDraft = Draft

/**
 * The drafts of a form: its own, with what is typed now, and earlier ones, which stay until the user resumes or discards them. Without a
 * key there are none. `seen` returns the version of the record in view at the time of writing; `continued` is the own draft of an earlier
 * opening of the same form.
 */
export const useDrafts = (
  key: string | undefined,
  seen: RefObject<number | undefined>,
  continued: string | undefined,
) => {
  const [ownId, setOwnId] = useState(() => continued ?? randomKey())
  const [isFailing, setFailing] = useState(false)
  const [discarded, setDiscarded] = useState<readonly string[]>([])
  /** What was typed here before another draft was resumed. */
  const [earlier, setEarlier] = useState<readonly Draft[]>([])
  const first = useRef({ id: ownId, isStored: continued !== undefined })
  // Each opening of a form reads its drafts again.
  const opening = useId()
  const { data } = useQuery({
    queryKey: ['drafts', key, opening],
    queryFn: ({ signal }) => call(draftRoutes.list, { params: draftParams(key ?? ''), signal }),
    enabled: key !== undefined,
    // Read once when the form opens: later it would include the form's own draft. A save or a new token invalidates every query except
    // static ones.
    staleTime: 'static',
    gcTime: 0,
    retry: true,
  })
  const writer = useMemo(() => {
    const to = (draftId: string) => ({ ...draftParams(key ?? ''), draftId })
    return createDraftWriter(first.current.id, {
      isStored: first.current.isStored,
      // The user was told that the draft is kept, and may close the tab at once.
      save: (draftId, body) =>
        call(draftRoutes.save, {
          params: to(draftId),
          body: { baseVersion: seen.current ?? null, body },
          keepalive: true,
        }),
      remove: (draftId) => call(draftRoutes.remove, { params: to(draftId) }),
      onStored: (isKept) => setFailing(!isKept),
    })
  }, [key, seen])
  useEffect(() => {
    const stop = unsaved.addSender(writer.flush)
    return () => {
      stop()
      void writer.flush()
    }
  }, [writer])
  return {
    ownId,
    /** Newest first, without the form's own. */
    offers: [...earlier, ...(key === undefined ? [] : (data?.data ?? []))].filter(
      ({ id, body }) => id !== ownId && !discarded.includes(id) && Object.keys(body).length > 0,
    ),
    /** The last write succeeded. */
    isKept: key !== undefined && !isFailing && !isViewing(),
    write: (values: Values) => {
      if (key !== undefined && !isViewing()) writer.write(values)
    },
    /** Continues an earlier draft. What was typed until now stays as a separate draft. */
    resume: (draft: Draft, typed: Values | null) => {
      if (typed) {
        const now = new Date().toISOString()
        const own = { id: writer.id(), baseVersion: seen.current ?? null, body: typed, startDate: now, updateDate: now }
        setEarlier((before) => [own, ...before])
      }
      void writer.switchTo(draft.id)
      first.current = { id: draft.id, isStored: true }
      setOwnId(draft.id)
    },
    discardOffer: (draftId: string) => {
      setDiscarded((before) => [...before, draftId])
      void call(draftRoutes.remove, { params: { ...draftParams(key ?? ''), draftId } })
    },
    /** Discards only the form's own draft. */
    discard: () => (key === undefined ? Promise.resolve() : writer.discard()),
  }
}
