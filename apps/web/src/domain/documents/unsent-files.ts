import type { DocumentType } from '@lis/contract/documents.ts'
import { useSyncExternalStore } from 'react'
import { pageSession, useSession } from '../../lib/session.ts'

/** A file that did not arrive. */
export interface UnsentFile {
  requisitionId: number
  type: DocumentType
  file: File
  reason: string
}

type Kept = UnsentFile & { userId: number | undefined }

const listeners = new Set<() => void>()
let list: readonly Kept[] = []
const set = (next: readonly Kept[]) => {
  list = next
  for (const listener of listeners) listener()
}

/**
 * Files that did not arrive, until they are sent again or given up. In the memory of this tab, because a browser does not keep files
 * any other way: they live through a new sign-in, but not through a reload.
 */
export const unsentFiles = {
  keep: (unsent: UnsentFile) => set([...list, { ...unsent, userId: pageSession.get()?.access.userId }]),
  /** False when it is not there any more. */
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

/** Those of one section; what another person left is not shown. */
export const useUnsentFiles = (requisitionId: number, type: DocumentType): readonly UnsentFile[] => {
  const userId = useSession()?.access.userId
  return useSyncExternalStore(subscribe, () => list).filter(
    (unsent) => unsent.requisitionId === requisitionId && unsent.type === type && unsent.userId === userId,
  )
}
