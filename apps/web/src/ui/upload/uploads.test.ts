import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api-error.ts'
import type { UploadContext } from '../../lib/send-to-storage.ts'
import { acceptOf, describeRules, documentRules, type FileRules, refusalOf } from './file-rules.ts'
import { createUploads } from './uploads.ts'

const file = (name: string, text = 'content') => new File([text], name)
const several: FileRules = { ...documentRules, maxFiles: 4, isNameUnique: true }

/** Uploads that the test completes itself. */
const byHand = (rules: FileRules = several) => {
  const calls = new Map<string, { context: UploadContext; end: () => void; fail: (error: unknown) => void }>()
  const arrived: string[] = []
  const uploads = createUploads({
    rules,
    upload: ({ name }, context) =>
      new Promise<void>((resolve, reject) => {
        calls.set(name, { context, end: resolve, fail: reject })
      }),
    onDone: ({ name }) => arrived.push(name),
  })
  const settle = () => new Promise((resolve) => setTimeout(resolve))
  const states = () => uploads.get().map(({ file: { name }, status }) => `${name} ${status}`)
  return { uploads, calls, arrived, settle, states }
}

describe('accepted files', () => {
  it('are checked by name and size before anything is sent', () => {
    const refusal = (name: string, size: number) => refusalOf({ name, size }, documentRules)
    expect(refusal('scan.PDF', 50 * 1024 * 1024)).toBeUndefined()
    expect(refusal('scan.tif', 1)).toBeUndefined()
    expect(refusal('scan.pdf', 50 * 1024 * 1024 + 1)).toBe('The file is larger than 50 MB')
    expect(refusal('scan.pdf', 0)).toBe('The file is empty')
    expect(refusal('scan.pdf.exe', 1)).toBe('Only PDF, PNG, JPEG and TIFF files are accepted')
  })
  it('are described before a file is chosen', () => {
    expect(describeRules(documentRules)).toBe('PDF, PNG, JPEG or TIFF, up to 50 MB')
    expect(acceptOf(documentRules)).toBe('.pdf,.png,.jpg,.jpeg,.tif,.tiff')
    expect(describeRules({ ...documentRules, kinds: ['CSV'] })).toBe('CSV, up to 50 MB')
  })
  it('exclude refused ones, which are listed, and the rest is sent', async () => {
    const { uploads, calls, states } = byHand()
    uploads.add([file('a.pdf'), file('b.exe'), file('a.pdf'), file('empty.pdf', '')])
    uploads.start()
    expect(states()).toEqual(['a.pdf sending', 'b.exe refused', 'a.pdf refused', 'empty.pdf refused'])
    expect(uploads.get()[2]?.message).toBe('A file of this name is already in the list')
    expect([...calls.keys()]).toEqual(['a.pdf'])
    uploads.add([file('c.pdf'), file('d.pdf'), file('e.pdf'), file('f.pdf')])
    expect(uploads.get().at(-1)?.message).toBe('At most 4 files can be uploaded at once')
  })
  it('are only the first file, of the newest choice, in a single-file upload', () => {
    const { uploads, states } = byHand(documentRules)
    uploads.add([file('a.pdf'), file('b.pdf')])
    expect(states()).toEqual(['a.pdf waiting'])
    uploads.add([file('c.pdf')])
    expect(states()).toEqual(['c.pdf waiting'])
  })
})

describe('uploads', () => {
  it('wait to be started, and run three at a time', async () => {
    const { uploads, calls, settle, states, arrived } = byHand()
    uploads.add(['a', 'b', 'c', 'd'].map((name) => file(`${name}.pdf`)))
    expect(calls.size).toBe(0)
    uploads.start()
    expect(states()).toEqual(['a.pdf sending', 'b.pdf sending', 'c.pdf sending', 'd.pdf waiting'])
    calls.get('b.pdf')?.end()
    await settle()
    expect(states()).toEqual(['a.pdf sending', 'b.pdf done', 'c.pdf sending', 'd.pdf sending'])
    expect(arrived).toEqual(['b.pdf'])
  })
  it('report their progress in bytes', () => {
    const { uploads, calls } = byHand()
    uploads.add([file('a.pdf', '0123456789')])
    uploads.start()
    calls.get('a.pdf')?.context.onProgress(4)
    expect(uploads.get()[0]).toMatchObject({ sentBytes: 4, status: 'sending' })
    calls.get('a.pdf')?.context.onProgress(10)
    expect(uploads.get()[0]).toMatchObject({ sentBytes: 10, status: 'saving' })
  })
  it('continue when one fails, which can be retried', async () => {
    const { uploads, calls, settle, states, arrived } = byHand()
    uploads.add([file('a.pdf'), file('b.pdf')])
    uploads.start()
    calls.get('a.pdf')?.fail(new ApiError('S3 error'))
    calls.get('b.pdf')?.end()
    await settle()
    expect(states()).toEqual(['a.pdf failed', 'b.pdf done'])
    expect(uploads.get()[0]?.message).toBe('S3 error')
    uploads.retry(uploads.get()[0]?.id ?? 0)
    expect(states()[0]).toBe('a.pdf sending')
    calls.get('a.pdf')?.end()
    await settle()
    expect(arrived).toEqual(['b.pdf', 'a.pdf'])
  })
  it("show the server's message about the file", async () => {
    const { uploads, calls, settle } = byHand()
    uploads.add([file('a.pdf')])
    uploads.start()
    const errors = [{ field: 'fileName', message: 'The file is not PDF' }]
    calls.get('a.pdf')?.fail(new ApiError('Invalid input', { status: 400, errors }))
    await settle()
    expect(uploads.get()[0]?.message).toBe('The file is not PDF')
  })
  it('stop when they are cancelled, and let the next one start', async () => {
    const { uploads, calls, settle, states, arrived } = byHand()
    uploads.add(['a', 'b', 'c', 'd'].map((name) => file(`${name}.pdf`)))
    uploads.start()
    const { context, fail } = calls.get('a.pdf') ?? {}
    context?.signal.addEventListener('abort', () => fail?.(new ApiError('canceled', { isCancelled: true })))
    uploads.cancel(uploads.get()[0]?.id ?? 0)
    await settle()
    expect(context?.signal.aborted).toBe(true)
    expect(states()).toEqual(['b.pdf sending', 'c.pdf sending', 'd.pdf sending'])
    uploads.cancelAll()
    await settle()
    expect(uploads.get()).toEqual([])
    expect([...calls.values()].every((call) => call.context.signal.aborted)).toBe(true)
    expect(arrived).toEqual([])
  })
})
