import { type CsvPreview, csvLoadRoutes, type LoadType } from '@lis/contract/csv-loads.ts'
import { isJobOver, type Job, jobRoutes } from '@lis/contract/jobs.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { events } from '../../lib/events.ts'
import { sendToStorage } from '../../lib/send-to-storage.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { useJob } from '../../lib/use-job.ts'
import { useSave } from '../../lib/use-save.ts'

/** The step of a load: sending, being checked by a job, waiting for a decision, or being loaded by a job. */
export type LoadStep = 'idle' | 'sending' | 'checking' | 'checked' | 'loading'

const notLoaded = 'The file is not loaded yet, and will not be when you leave this page now.'

interface Stored {
  loadFileTypeCode: LoadType
  fileName: string
  originalFileName: string
}

/** The steps of one file: upload, check of the whole file, and the load, which starts automatically if there are no errors. */
export const useLoad = (onDone: () => void) => {
  const client = useQueryClient()
  const options = { invalidates: [], failure: 'error', isSilent: true } as const
  const init = useSave(csvLoadRoutes.init, options)
  const preview = useSave(csvLoadRoutes.preview, options)
  const process = useSave(csvLoadRoutes.process, { ...options, isSilent: false })
  const [step, setStep] = useState<LoadStep>('idle')
  const [sentBytes, setSent] = useState(0)
  const [jobId, setJobId] = useState<string | null>(null)
  const [result, setResult] = useState<CsvPreview | null>(null)
  const stored = useRef<Stored | null>(null)
  const [checked, setChecked] = useState<{ type: LoadType; file: File } | null>(null)
  const job = useJob(jobId)
  // Starts the load when the check has ended.
  useUnsaved(useId(), step !== 'idle' && step !== 'loading', notLoaded)
  const stop = useSave(jobRoutes.cancel, options)

  const isResultFor = (type: string, file: File | undefined) => checked?.type === type && checked.file === file
  const reset = () => {
    setStep('idle')
    setJobId(null)
    setResult(null)
  }
  const fail = (error: unknown) => {
    reset()
    if (error instanceof Error && error.message === 'S3 error')
      events.emit('notice', { type: 'error', message: error.message })
  }
  const start = async (loadFileTypeCode: LoadType, file: File) => {
    setResult(null)
    setStep('sending')
    setSent(0)
    setChecked({ type: loadFileTypeCode, file })
    try {
      const slot = await init({ body: { fileName: file.name } })
      const context = { signal: new AbortController().signal, onProgress: setSent }
      await sendToStorage(slot.data, file, context)
      stored.current = { loadFileTypeCode, fileName: slot.data.newFileName, originalFileName: file.name }
      const { data } = await preview({ body: stored.current })
      setJobId(data.jobId)
      setStep('checking')
    } catch (error) {
      fail(error)
    }
  }
  const load = async () => {
    setStep('loading')
    try {
      const { data } = await process({ body: stored.current as Stored })
      setJobId(data.jobId)
      client.invalidateQueries({ queryKey: [csvLoadRoutes.list.path] })
    } catch (error) {
      fail(error)
    }
  }
  /** A check writes nothing, so it can be cancelled at any time. */
  const cancelCheck = async () => {
    if (jobId !== null) await stop({ params: { id: jobId } }).catch(() => undefined)
  }
  const afterJob = useRef<(over: Job) => void>(() => undefined)
  afterJob.current = (over) => {
    // Cancelled by the user: no notice.
    if (over.state === 'CANCELLED') return reset()
    if (over.state !== 'DONE') {
      events.emit('notice', { type: 'error', message: over.message ?? 'The file could not be processed' })
      client.invalidateQueries({ queryKey: [csvLoadRoutes.list.path] })
      return reset()
    }
    if (step === 'checking') {
      const found = over.result as CsvPreview
      setResult(found)
      setJobId(null)
      if (found.errorTotal === 0) void load()
      else setStep('checked')
    } else if (step === 'loading') {
      const ended = over.result as { message: string; errors: number }
      events.emit('notice', { type: ended.errors > 0 ? 'warning' : 'success', message: ended.message })
      client.invalidateQueries({ queryKey: [csvLoadRoutes.list.path] })
      reset()
      onDone()
    }
  }
  const isOver = job !== undefined && isJobOver(job.state)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each job that is over
  useEffect(() => {
    if (isOver && job) afterJob.current(job)
  }, [isOver, job?.id])
  return { step, sentBytes, job, preview: result, start, load, cancelCheck, reset, isAbout: isResultFor }
}
