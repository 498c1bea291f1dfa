import { type Draft, draftRoutes } from '@lis/contract/drafts.ts'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { call } from './api.ts'
import { newKey } from './api-client.ts'
import { createDraftWriter, draftParams, type Values } from './draft-writer.ts'
import { unsaved } from './unsaved.ts'

export type FormDraft = Draft

/**
 * The drafts of a form: its own, which holds what is typed now, and those of before, which stay until the person resumes or discards them.
 * Without a key nothing is kept. `seen` is the version that was in view when it was typed, as it stands at the moment of writing;
 * `continued` the own draft of an earlier opening of the same form.
 */
export const useDrafts = (
  key: string | undefined,
  seen: RefObject<number | undefined>,
  continued: string | undefined,
) => {
  const [ownId, setOwnId] = useState(() => continued ?? newKey())
  const [isFailing, setFailing] = useState(false)
  const [discarded, setDiscarded] = useState<readonly string[]>([])
  /** What was typed here before another draft was resumed. */
  const [left, setLeft] = useState<readonly Draft[]>([])
  const first = useRef({ id: ownId, isStored: continued !== undefined })
  // Each opening of a form asks for itself.
  const opening = useId()
  const { data } = useQuery({
    queryKey: ['drafts', key, opening],
    queryFn: ({ signal }) => call(draftRoutes.list, { params: draftParams(key ?? ''), signal }),
    enabled: key !== undefined,
    // Read once as the form opens: what is found later would be the form's own typing. A save or a new token makes every read old, but
    // not a static one.
    staleTime: 'static',
    gcTime: 0,
    retry: true,
  })
  const writer = useMemo(() => {
    const to = (draftId: string) => ({ ...draftParams(key ?? ''), draftId })
    return createDraftWriter(first.current.id, {
      isStored: first.current.isStored,
      // Who leaves was told that it is kept, and may close the tab at once.
      save: (draftId, body) =>
        call(draftRoutes.save, {
          params: to(draftId),
          body: { baseVersion: seen.current ?? null, body },
          outlivesPage: true,
        }),
      remove: (draftId) => call(draftRoutes.remove, { params: to(draftId) }),
      onKept: (isKept) => setFailing(!isKept),
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
    /** The latest first; never the form's own. */
    offers: [...left, ...(key === undefined ? [] : (data?.data ?? []))].filter(
      ({ id, body }) => id !== ownId && !discarded.includes(id) && Object.keys(body).length > 0,
    ),
    /** What is typed now is kept. */
    isKept: key !== undefined && !isFailing,
    write: (values: Values) => {
      if (key !== undefined) writer.write(values)
    },
    /** Goes on with a draft of before. What was typed until now stays as a draft of its own. */
    resume: (draft: Draft, typed: Values | null) => {
      if (typed) {
        const now = new Date().toISOString()
        const own = { id: writer.id(), baseVersion: seen.current ?? null, body: typed, startDate: now, updateDate: now }
        setLeft((before) => [own, ...before])
      }
      void writer.switchTo(draft.id)
      first.current = { id: draft.id, isStored: true }
      setOwnId(draft.id)
    },
    discardOffer: (draftId: string) => {
      setDiscarded((before) => [...before, draftId])
      void call(draftRoutes.remove, { params: { ...draftParams(key ?? ''), draftId } })
    },
    /** The own one alone. */
    discard: () => (key === undefined ? Promise.resolve() : writer.discard()),
  }
}
