import { expect, it } from 'vitest'
import { runCrash } from './crash.ts'

it('server, worker and PostgreSQL killed under a mixed load: no answer is lost, nothing is done twice, the audit is whole, jobs finish', async () => {
  const { faults, answered, kills } = await runCrash({
    rounds: 2,
    victims: [
      ['server', 'worker'],
      ['postgres', 'worker'],
    ],
    hurry: true,
  })
  // As text: a list is cut short in the report, and what was lost would be lost again.
  expect(faults.join('\n')).toBe('')
  expect(kills).toEqual({ server: 1, worker: 2, postgres: 1 })
  for (const [kind, n] of Object.entries(answered)) expect([kind, n > 0]).toEqual([kind, true])
}, 300_000)
