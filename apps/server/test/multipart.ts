import { uploadQuery } from '../src/platform/storage/disk-signature.ts'

/** Where a slot is posted to, on whatever host the server of the test has. */
export const storagePath = (fields: Record<string, string>) => `/storage?${uploadQuery(fields)}`

/** A form as a browser posts it to the store: the fields of the slot first, the file last. */
export const multipart = (fields: Record<string, string>, file: Buffer) => {
  const boundary = 'cut-here'
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`
  const head = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`)
  return {
    payload: Buffer.concat([
      Buffer.from(`${head.join('')}${part('name="file"; filename="x"')}`),
      file,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}
