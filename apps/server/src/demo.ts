import { loadDemo } from '../seeds/demo/load-demo.ts'
import { openPool } from './platform/db/pool.ts'
import { hashPassword } from './platform/identity/pool/passwords.ts'
import type { AssembledServices } from './start.ts'

export const demoPassword = 'Demo-Password-2026!'
export const demoAccounts = [
  'admin',
  'management',
  'staff',
  'collaborator',
  'client',
  'physician',
  'sales',
  'billing',
] as const
const requisitions = 3000

/** Fills an empty database with the demo laboratory, once. Says how long it took, or null when it was there already. */
export const ensureDemoData = async (
  { services, databaseUrl }: AssembledServices,
  onProgress?: (done: number) => void,
): Promise<number | null> => {
  const owner = openPool(databaseUrl, { max: 2, name: 'lis-demo' })
  try {
    const { rowCount } = await owner.query('select 1 from app_user limit 1')
    if (rowCount) return null
    const { seconds } = await loadDemo(owner, {
      requisitions,
      passwordHash: await hashPassword(demoPassword),
      reportFiles: (key, pdf) => services.store.put(key, pdf, 'application/pdf'),
      onProgress,
    })
    return seconds
  } finally {
    await owner.end()
  }
}
