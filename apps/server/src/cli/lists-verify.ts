import { verifyLists } from '../modules/requisition-list/verify-lists.ts'
import { withOwnerPool } from './with-owner-pool.ts'

await withOwnerPool(async (pool) => {
  const faults = await verifyLists(pool)
  for (const fault of faults) console.error(fault)
  console.log(`${faults.length} list rows and counters differ`)
  if (faults.length > 0) process.exitCode = 1
})
