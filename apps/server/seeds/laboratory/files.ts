import { createHash } from 'node:crypto'
import { isoInstant } from './clock.ts'
import type { Ids, RowSink } from './copy.ts'

/** Where the PDFs go; the object store behind it decides. */
export type ReportFileSink = (key: string, pdf: Buffer) => Promise<unknown>

export interface FileRequest {
  key: string
  name: string
  createdBy: number | null
  createdAt: number
  render: () => Promise<Buffer>
}

/** Files that the rows of a chunk refer to. They are made before the chunk is loaded, because the rows contain size and checksum. */
export class FileWriter {
  readonly #ids: Ids
  readonly #sink: ReportFileSink
  /** In large sets all reports share this one. */
  readonly #sharedId: number | undefined
  #waiting: { id: number; request: FileRequest }[] = []

  constructor(ids: Ids, sink: ReportFileSink, shared?: FileRequest) {
    this.#ids = ids
    this.#sink = sink
    this.#sharedId = shared && this.#enqueue(shared)
  }

  /** The id under which the file will be found. */
  add(request: FileRequest): number {
    return this.#sharedId ?? this.#enqueue(request)
  }

  async write(rows: RowSink): Promise<number> {
    const batch = this.#waiting
    this.#waiting = []
    for (let start = 0; start < batch.length; start += together) {
      await Promise.all(
        batch.slice(start, start + together).map(({ id, request }) => this.#writeOne(rows, id, request)),
      )
    }
    return batch.length
  }

  #enqueue(request: FileRequest): number {
    const id = this.#ids.next('stored_file')
    this.#waiting.push({ id, request })
    return id
  }

  async #writeOne(rows: RowSink, id: number, { key, name, createdBy, createdAt, render }: FileRequest) {
    const pdf = await render()
    await this.#sink(key, pdf)
    rows.add('stored_file', {
      id,
      object_key: key,
      original_name: name,
      content_type: 'application/pdf',
      byte_size: pdf.length,
      sha256: `\\x${createHash('sha256').update(pdf).digest('hex')}`,
      created_by: createdBy,
      created_at: isoInstant(createdAt),
    })
  }
}

const together = 8
