import { fromBuffer } from 'yauzl'

/** The files of an archive by their paths. */
export const unzip = (zip: Buffer) =>
  new Promise<Record<string, Buffer>>((done, fail) => {
    fromBuffer(zip, { lazyEntries: true }, (error, archive) => {
      if (error) return fail(error)
      const files: Record<string, Buffer> = {}
      archive.on('entry', (entry) =>
        archive.openReadStream(entry, (fault, stream) => {
          if (fault) return fail(fault)
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('error', fail)
          stream.on('end', () => {
            files[entry.fileName] = Buffer.concat(chunks)
            archive.readEntry()
          })
        }),
      )
      archive.on('end', () => done(files))
      archive.on('error', fail)
      archive.readEntry()
    })
  })
