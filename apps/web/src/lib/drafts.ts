import { type Draft, draftRoutes } from '@lis/contract/drafts.ts'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { call } from './api.ts'
import { createDraftWriter, draftParams, type Values } from './draft-writer.ts'
import { unsaved } from './unsaved.ts'

/**
 * The draft of a form: what lies there from before, and the means to write and drop it. Without a key nothing is kept. `seen` is the
 * version that was in view when it was typed, as it stands at the moment of writing.
 */
export const useDraft = (key: string | undefined, seen: RefObject<number | undefined>) => {
  const [isAnswered, setAnswered] = useState(false)
  const params = draftParams(key ?? '')
  // Each opening of a form asks for itself.
  const opening = useId()
  const { data } = useQuery({
    queryKey: ['draft', key, opening],
    queryFn: ({ signal }) => call(draftRoutes.one, { params, signal }),
    enabled: key !== undefined,
    // Answered once as the form opens: a later answer would be the form's own typing. A save or a new token makes every read old, but
    // not a static one.
    staleTime: 'static',
    gcTime: 0,
    // Nothing is written before it is answered.
    retry: true,
  })
  const writer = useMemo(() => {
    const to = draftParams(key ?? '')
    return createDraftWriter({
      // Who leaves was told that it is kept, and may close the tab at once.
      save: (body) =>
        call(draftRoutes.save, {
          params: to,
          body: { baseVersion: seen.current ?? null, body },
          outlivesPage: true,
        }),
      remove: () => call(draftRoutes.remove, { params: to }),
    })
  }, [key, seen])
  useEffect(() => {
    const stop = unsaved.addSender(writer.flush)
    return () => {
      stop()
      void writer.flush()
    }
  }, [writer])
  const kept = data?.data ?? null
  // Empty when all that was typed has been changed back.
  const offer: Draft | null = kept && !isAnswered && Object.keys(kept.body).length > 0 ? kept : null
  // Typing may begin before it is known whether an older draft lies there, which must not be overwritten unasked; and as long as nothing
  // was written, whatever is answered is older.
  const mayWrite = data !== undefined && !offer
  const early = useRef<Values | null>(null)
  useEffect(() => {
    if (!mayWrite || !early.current) return
    writer.write(early.current)
    early.current = null
  }, [mayWrite, writer])
  return {
    offer,
    /** What is typed now is kept. */
    mayWrite,
    write: (values: Values) => {
      if (mayWrite) writer.write(values)
      else early.current = values
    },
    answer: () => setAnswered(true),
    discard: () => {
      early.current = null
      setAnswered(true)
      return key === undefined ? Promise.resolve() : writer.discard()
    },
  }
}
