import type { TestApp } from './app.ts'
import { storagePath } from './multipart.ts'

/** Sends a file to the store as a browser does, and gives the status: the fields of the slot first, the file last, no session. */
export const sendToStore = async (test: TestApp, fields: Record<string, string>, content: string | Buffer) => {
  const part = (head: string, value: string) => `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value))
  const text = Buffer.isBuffer(content) ? content.toString('latin1') : content
  const payload = `${parts.join('')}${part('name="file"; filename="x"', text)}--cut--\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
  const url = storagePath(fields)
  return (await test.app.inject({ method: 'POST', url, headers, payload: Buffer.from(payload, 'latin1') })).statusCode
}

export const tinyPdf = '%PDF-1.7\nhello'
export const tinyPng = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]).toString('latin1')
