import { afterEach, describe, expect, it, vi } from 'vitest'
import { sendToStorage } from './send-to-storage.ts'

/** A storage that answers with this status; reading anything else of its answer throws. */
const storageThatAnswers = (status: number) => {
  class Answer {
    upload = {}
    onload?: () => void
    onloadend?: () => void
    status = status
    open() {}
    send() {
      queueMicrotask(() => {
        this.onload?.()
        this.onloadend?.()
      })
    }
    get response(): never {
      throw new Error('The body was read')
    }
    get responseText(): never {
      throw new Error('The body was read')
    }
    getResponseHeader(): never {
      throw new Error('A header was read')
    }
    getAllResponseHeaders(): never {
      throw new Error('A header was read')
    }
  }
  vi.stubGlobal('XMLHttpRequest', Answer)
}
const send = () =>
  sendToStorage({ url: 'https://storage.example.com', fields: { key: 'a' } }, new File(['x'], 'a.pdf'), {
    signal: new AbortController().signal,
    onProgress: () => undefined,
    isSilent: true,
  })

describe('an upload to the storage', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('DOC-48 has succeeded with status 204, whatever else the storage answers', async () => {
    storageThatAnswers(204)
    await expect(send()).resolves.toBeUndefined()
  })

  it.each([200, 201, 400, 403, 500])('DOC-48 has failed with status %i, and the answer is not read', async (status) => {
    storageThatAnswers(status)
    await expect(send()).rejects.toMatchObject({ message: 'S3 error', status })
  })
})
