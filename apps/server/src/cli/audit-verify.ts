import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { verifySignatures } from '../modules/sign-out/verify.ts'
import { loadDetachedParts } from '../partitions/with-detached.ts'
import { auditFolder } from '../platform/audit/external-record.ts'
import { describeFault, verifyAudit } from '../platform/audit/verify.ts'
import { monthOf } from '../platform/db/parts.ts'
import { StartError } from '../platform/start-error.ts'
import { openObjectStore } from '../platform/storage/open-object-store.ts'
import { withOwnerPool } from './with-owner-pool.ts'

const usage = `Usage: npm run audit:verify [-- --with FOLDER]
  --with FOLDER  where the parts are that npm run partitions has detached; they are checked with the rest`

await withOwnerPool(async (pool, config) => {
  const { parts } = readArguments()
  const folder = auditFolder(config.dataDir)
  const client = await pool.connect()
  try {
    const atHand = parts ? await loadDetachedParts(client, parts) : { loaded: [], faults: [] }
    const isAtHand = ({ sha256 }: { sha256: string }) => atHand.loaded.some((part) => part.sha256 === sha256)
    const check = await verifyAudit(client, { secret: config.secret, folder }, isAtHand)
    const { store } = await openObjectStore(config)
    const signatures = await verifySignatures(client, store, check.missing.length > 0)
    const faults = [
      ...atHand.faults.map((fault) => `part: ${fault}`),
      ...check.faults.map(describeFault),
      ...signatures.faults,
    ]
    for (const fault of faults) console.error(fault)
    for (const part of parts ? [] : check.missing)
      console.error(
        `Missing: ${part.table} ${monthOf(part)}, ${part.rows} rows, were detached and could not be checked.`,
      )
    if (!parts && check.missing.length > 0)
      console.error('What these rows and their seals say was not checked: npm run audit:verify -- --with FOLDER')
    if (!existsSync(folder))
      console.error(`Nothing is recorded in ${folder}: the audit was checked by what the database holds alone.`)
    console.log(
      `${check.rows} audit rows, ${check.seals} seals and ${signatures.signatures} signatures checked, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`,
    )
    if (faults.length > 0) process.exitCode = 1
  } finally {
    client.release()
  }
})

function readArguments() {
  try {
    const { values } = parseArgs({ options: { with: { type: 'string' } } })
    if (values.with !== undefined && !existsSync(values.with)) throw new Error(`There is no folder ${values.with}.`)
    return { parts: values.with && resolve(values.with) }
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}
