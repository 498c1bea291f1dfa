import { verifyAudit } from '../platform/audit/verify.ts'
import { withOwnerPool } from './with-owner-pool.ts'

await withOwnerPool(async (pool) => {
  const { rows, seals, faults } = await verifyAudit(pool)
  for (const fault of faults) console.error(`${fault.kind}: audit row ${fault.id} (${fault.entity} ${fault.entityId})`)
  console.log(`${rows} audit rows and ${seals} seals checked, ${faults.length} faults`)
  if (faults.length > 0) process.exitCode = 1
})
