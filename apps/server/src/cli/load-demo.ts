import { loadDemo } from '../../seeds/demo/load-demo.ts'
import { demoPassword } from '../demo.ts'
import { loadDemoBench } from '../demo-bench.ts'
import { loadDemoControls } from '../demo-controls.ts'
import { loadDemoPartners } from '../demo-partners.ts'
import { loadDemoReportValues } from '../demo-reports.ts'
import { loadDemoSignOut } from '../demo-sign-out.ts'
import { hashPassword } from '../platform/identity/pool/passwords.ts'
import { openLog } from '../platform/log.ts'
import { openReportSeal } from '../platform/pdf/seal.ts'
import { openObjectStore } from '../platform/storage/open-object-store.ts'
import { withOwnerPool } from './with-owner-pool.ts'

const requisitions = 3000

/** Fills an empty database with the demo laboratory; the first start does this automatically. */
await withOwnerPool(async (pool, config) => {
  const { store } = await openObjectStore(config)
  const { seconds } = await loadDemo(pool, {
    requisitions,
    passwordHash: await hashPassword(demoPassword),
    reportFiles: (key, pdf) => store.put(key, pdf, 'application/pdf'),
  })
  await loadDemoReportValues(pool)
  await loadDemoPartners(pool, config, openLog('warn'))
  await loadDemoControls(pool)
  await loadDemoBench(pool, config, openLog('warn'))
  await loadDemoSignOut(pool, { store, config, reportSeal: await openReportSeal(config, openLog('warn')) })
  console.log(`Demo laboratory made in ${seconds.toFixed(1)} s`)
})
