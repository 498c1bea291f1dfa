import { describe, expect, it } from 'vitest'
import { selectTests } from './check-selection.ts'

const unit = { path: 'packages/contract/src/money.test.ts', source: "import { sum } from './money.ts'" }
const clients = {
  path: 'apps/server/src/modules/clients/clients.test.ts',
  source: "import { openTestApp } from '../../../test/app.ts'",
}
const attack = { path: 'apps/server/test/attack/doors.test.ts', source: "import { a } from '../a.ts'" }
const tests = [unit, clients, attack]

describe('the tests of npm run check', () => {
  it('always include those that need neither database nor process', () => {
    expect(selectTests(tests, [])).toEqual([unit.path])
  })

  it('include the others of a folder with a change', () => {
    expect(selectTests(tests, ['apps/server/src/modules/clients/queries.ts'])).toEqual([clients.path, unit.path])
    expect(selectTests(tests, ['apps/server/test/attack/doors.test.ts'])).toEqual([attack.path, unit.path])
  })

  it('include those of the module whose contract has changed', () => {
    expect(selectTests(tests, ['packages/contract/src/clients.ts'])).toEqual([clients.path, unit.path])
  })
})
