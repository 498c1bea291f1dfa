import { parseArgs } from 'node:util'
import { installCommand, missingPackages, type Program } from '../apps/server/test/packages.ts'
import { runCrash } from './crash.ts'
import { runFailover } from './failover.ts'
import { runPooler } from './pooler.ts'

const usage = `Usage: npm run prove -- crash [--rounds 30]
       npm run prove -- failover [--direct]     PostgreSQL under Patroni; --direct without HAProxy, by several hosts in DATABASE_URL
       npm run prove -- pooler [--rounds 5]     through PgBouncer in transaction mode`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, direct: { type: 'boolean', default: false } },
})
const say = (line: string) => console.log(line)

const finish = (faults: readonly string[]) => {
  for (const fault of faults.slice(0, 50)) console.error(fault)
  console.log(`${faults.length} faults`)
  process.exitCode = faults.length > 0 ? 1 : 0
}

const crash = async () => {
  const { faults, downMs, ...figures } = await runCrash({ rounds: Number(values.rounds ?? 30), say })
  const sorted = [...downMs].sort((a, b) => a - b)
  console.log(
    JSON.stringify({ ...figures, downMs: { median: sorted[sorted.length >> 1], longest: sorted.at(-1) } }, null, 1),
  )
  finish(faults)
}

const failover = async () => {
  if (!hasPackages(['etcd', 'patroni', 'haproxy'], true)) return
  const { faults, ...figures } = await runFailover(say, values.direct)
  console.log(JSON.stringify(figures, null, 1))
  finish(faults)
}

const pooler = async () => {
  if (!hasPackages(['pgbouncer'], false)) return
  finish(await runPooler(Number(values.rounds ?? 5), say))
}

/** Nothing is installed here: that is the administrator's decision. */
const hasPackages = (programs: readonly Program[], needsPostgres: boolean): boolean => {
  const missing = missingPackages(programs, needsPostgres)
  if (missing.length === 0) return true
  console.error(`These packages are missing: ${missing.join(', ')}. On Debian: ${installCommand}`)
  process.exitCode = 2
  return false
}

const proofs: Record<string, () => Promise<void>> = { crash, failover, pooler }
const proof = proofs[positionals[0] ?? '']
if (proof) await proof()
else {
  console.error(usage)
  process.exitCode = 1
}
