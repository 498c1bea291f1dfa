import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { IcdFileError, loadIcdOrderFile } from '../../seeds/icd-order-file.ts'
import { StartError } from '../platform/start-error.ts'
import { withOwnerPool } from './with-owner-pool.ts'

const usage = `Usage: npm run load:icd -- FILE [--replace]
  FILE       the yearly ICD-10-CM order file of the CMS, e.g. icd10cm_order_2027.txt
  --replace  switches off codes that the file no longer has; codes added by hand always stay`

/** The arguments, or the error message. */
const readArguments = async (): Promise<{ file: string; replace: boolean } | string> => {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { replace: { type: 'boolean' } } })
    const [file] = positionals
    if (!file || positionals.length > 1) return usage
    const found = await stat(file).catch(() => undefined)
    return found?.isFile() ? { file, replace: values.replace ?? false } : `There is no file ${file}.`
  } catch (error) {
    return `${(error as Error).message}\n${usage}`
  }
}

const load = (file: string, replace: boolean) =>
  withOwnerPool(async (pool) => {
    try {
      const result = await loadIcdOrderFile(pool, createReadStream(file), { replace })
      console.log(
        `${result.codes} billable codes read from ${result.lines} lines (${result.headers} headers skipped): ` +
          `${result.added} added, ${result.changed} changed, ${result.unchanged} unchanged, ` +
          `${result.customKept} kept as entered by hand, ${result.switchedOff} switched off.`,
      )
    } catch (error) {
      throw error instanceof IcdFileError ? new StartError(error.message) : error
    }
  })

const given = await readArguments()
if (typeof given === 'string') {
  console.error(given)
  process.exitCode = 1
} else await load(given.file, given.replace)
