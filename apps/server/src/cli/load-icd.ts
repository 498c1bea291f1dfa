import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { IcdFileError, loadIcdOrderFile } from '../../seeds/icd-order-file.ts'
import { StartError } from '../platform/start-error.ts'
import { withOwnerPool } from './with-owner-pool.ts'

const usage = `Usage: npm run load:icd -- FILE [--replace]
  FILE       the yearly ICD-10-CM order file of the CMS, e.g. icd10cm_order_2027.txt
  --replace  switches off codes that the file no longer has; codes added by hand always stay`

const readArguments = () => {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { replace: { type: 'boolean' } } })
    const [file] = positionals
    if (file && positionals.length === 1) return { file, replace: values.replace ?? false }
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
  throw new StartError(usage)
}

const checkedFile = async (file: string) => {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) throw new StartError(`There is no file ${file}.`)
  return file
}

await withOwnerPool(async (pool) => {
  const { file, replace } = readArguments()
  const stream = createReadStream(await checkedFile(file))
  try {
    const result = await loadIcdOrderFile(pool, stream, { replace })
    console.log(
      `${result.codes} billable codes read from ${result.lines} lines (${result.headers} headers skipped): ` +
        `${result.added} added, ${result.changed} changed, ${result.unchanged} unchanged, ` +
        `${result.customKept} kept as entered by hand, ${result.switchedOff} switched off.`,
    )
  } catch (error) {
    throw error instanceof IcdFileError ? new StartError(error.message) : error
  }
})
