import { Readable } from 'node:stream'
import { loadIcdOrderFile } from '../apps/server/seeds/icd-order-file.ts'
import type { Pool } from '../apps/server/src/platform/db/pool.ts'

const count = 75_000
const parts = ['Fracture', 'Burn', 'Diabetes mellitus', 'Contusion', 'Chronic disease', 'Poisoning', 'Neoplasm']
const sites = ['left hand', 'right hand', 'left foot', 'kidney', 'liver', 'skull', 'right femur', 'left forearm']
const encounters = ['initial encounter', 'subsequent encounter', 'sequela', 'with complication', 'unspecified']

/** As many codes as the yearly file has, in its format: order number, code, billable, short and long text in fixed columns. */
function* orderFile() {
  for (let index = 0; index < count; index++) {
    const letter = String.fromCharCode(65 + (index % 26))
    const number = Math.floor(index / 26)
    const code = `${letter}${String(number % 100).padStart(2, '0')}${String(Math.floor(number / 100)).padStart(4, '0')}`
    const pick = (words: readonly string[], step: number) => words[Math.floor(index / step) % words.length]
    const text = `${pick(parts, 1)} of ${pick(sites, 7)}, ${pick(encounters, 56)}, type ${index}`
    yield Buffer.from(
      `${String(index + 1).padStart(5, '0')} ${code.padEnd(7)} 1 ${text.slice(0, 60).padEnd(60)} ${text}\n`,
    )
  }
}

/** Loads them with the product's own loader, once; answers the seconds it took. */
export const ensureIcdCodes = async (owner: Pool): Promise<number | undefined> => {
  const { rows } = await owner.query<{ n: number }>('select count(*) as n from icd')
  if ((rows[0]?.n ?? 0) >= count) return undefined
  const start = performance.now()
  await loadIcdOrderFile(owner, Readable.from(orderFile()))
  await owner.query('analyze icd')
  return (performance.now() - start) / 1000
}
