import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { useUnsaved } from '../../lib/unsaved.ts'
import { createUploads, type UploadsOptions } from './uploads.ts'

/** The uploads of a component. Unmounting stops them; leaving the page while some are running asks first. */
export const useUploads = (options: UploadsOptions) => {
  const newest = useRef(options)
  newest.current = options
  const [uploads] = useState(() =>
    createUploads({
      rules: options.rules,
      upload: (file, context) => newest.current.upload(file, context),
      onDone: (file) => newest.current.onDone?.(file),
    }),
  )
  const list = useSyncExternalStore(uploads.subscribe, uploads.get)
  useEffect(() => () => uploads.cancelAll(), [uploads])
  const isBusy = list.some(({ status }) => status === 'sending' || status === 'saving')
  useUnsaved(useId(), isBusy, 'Files are still being uploaded. Leaving stops them.')
  return {
    ...uploads,
    list,
    rules: options.rules,
    isBusy,
    /** Files that `start` would send. */
    waiting: list.filter(({ status }) => status === 'waiting').map(({ file }) => file),
    isAllDone: list.length > 0 && list.every(({ status }) => status === 'done'),
  }
}
export type UploadsState = ReturnType<typeof useUploads>
