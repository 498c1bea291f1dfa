import type { DocumentType } from '@lis/contract/documents.ts'
import { useSyncExternalStore } from 'react'
import { pageSession, useSession } from '../../lib/session.ts'

/** A file whose upload failed. */
export interface UnsentFile {
  requisitionId: number
  type: DocumentType
  file: File
  reason: string
}

type OwnedFile = UnsentFile & { userId: number | undefined }

const listeners = new Set<() => void>()
let list: readonly OwnedFile[] = []
const set = (next: readonly OwnedFile[]) => {
  list = next
  for (const listener of listeners) listener()
}

/**
 * Files whose upload failed, until they are sent again or discarded. Kept in the memory of this tab, because a browser cannot store files
 * otherwise: they survive a new sign-in, but not a reload.
 */
export const unsentFiles = {
  keep: (unsent: UnsentFile) => set([...list, { ...unsent, userId: pageSession.get()?.access.userId }]),
  /** False if it is no longer there. */
  take: (file: File): boolean => {
    const rest = list.filter((unsent) => unsent.file !== file)
    const wasThere = rest.length < list.length
    set(rest)
    return wasThere
  },
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** The files of one section, without those of other users. */
export const useUnsentFiles = (requisitionId: number, type: DocumentType): readonly UnsentFile[] => {
  const userId = useSession()?.access.userId
  return useSyncExternalStore(subscribe, () => list).filter(
    (unsent) => unsent.requisitionId === requisitionId && unsent.type === type && unsent.userId === userId,
  )
}
