import { existsSync } from 'node:fs'
import { auditFolder } from '../platform/audit/external-record.ts'
import { describeFault, verifyAudit } from '../platform/audit/verify.ts'
import { withOwnerPool } from './with-owner-pool.ts'

await withOwnerPool(async (pool, config) => {
  const folder = auditFolder(config.dataDir)
  const { rows, seals, faults } = await verifyAudit(pool, { secret: config.secret, folder })
  for (const fault of faults) console.error(describeFault(fault))
  if (!existsSync(folder))
    console.error(`Nothing is recorded in ${folder}: the audit was checked by what the database holds alone.`)
  console.log(
    `${rows} audit rows and ${seals} seals checked, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`,
  )
  if (faults.length > 0) process.exitCode = 1
})
