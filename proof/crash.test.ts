import { expect, it } from 'vitest'
import { runCrash } from './crash.ts'

it('IFC-21 BENCH-08 server, worker and PostgreSQL killed under a mixed load: no reply is lost, nothing is done twice, the audit is complete, jobs finish', async () => {
  const { faults, answered, kills } = await runCrash({
    rounds: 2,
    victims: [
      ['server', 'worker'],
      ['postgres', 'worker'],
    ],
    hurry: true,
  })
  // As text, because the report would truncate a list.
  expect(faults.join('\n')).toBe('')
  expect(kills).toEqual({ server: 1, worker: 2, postgres: 1 })
  for (const [kind, n] of Object.entries(answered)) expect([kind, n > 0]).toEqual([kind, true])
}, 900_000)
