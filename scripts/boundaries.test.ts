import { describe, expect, it } from 'vitest'
import { faultsOf, type Imports, ringsOf } from './boundaries-lib.ts'

const importing = (file: string, ...paths: string[]): Imports => ({
  file,
  targets: paths.map((path) => ({ path, isType: false })),
})

describe('the dependency rule', () => {
  it.each([
    ['packages/contract/src/clients.ts', 'packages/contract/src/kit/route.ts'],
    ['packages/contract/src/clients.ts', 'zod'],
    ['apps/server/src/platform/lists.ts', 'packages/contract/src/kit/list-query.ts'],
    ['apps/server/src/modules/requisitions/service.ts', 'apps/server/src/modules/clients/queries.ts'],
    ['apps/web/src/features/clients/page.tsx', 'apps/web/src/ui/table.tsx'],
    ['apps/server/src/modules/clients/clients.test.ts', 'apps/server/test/app.ts'],
  ])('lets %s import %s', (file, target) => {
    expect(faultsOf(importing(file, target))).toEqual([])
  })
  it.each([
    ['packages/contract/src/kit/route.ts', 'packages/contract/src/clients.ts'],
    ['packages/contract/src/clients.ts', 'node:fs'],
    ['apps/server/src/platform/lists.ts', 'packages/contract/src/clients.ts'],
    ['apps/server/src/platform/lists.ts', 'apps/server/src/modules/clients/queries.ts'],
    ['apps/server/src/modules/clients/service.ts', 'apps/server/src/modules/sales/routes.ts'],
    ['apps/server/src/modules/clients/service.ts', 'apps/server/test/app.ts'],
    ['apps/web/src/features/clients/page.tsx', 'apps/web/src/features/sales/page.tsx'],
    ['apps/web/src/lib/api.ts', 'apps/web/src/ui/table.tsx'],
    ['apps/web/src/app/router.tsx', 'apps/server/src/app.ts'],
  ])('does not let %s import %s', (file, target) => {
    expect(faultsOf(importing(file, target))).toEqual([`${file} may not import ${target}`])
  })
})

describe('rings', () => {
  it('are found over several files', () => {
    expect(
      ringsOf([importing('a', 'b'), importing('b', 'c'), importing('c', 'a'), importing('d', 'a')]).map((ring) =>
        ring.sort(),
      ),
    ).toEqual([['a', 'b', 'c']])
  })
  it('do not count imports of types', () => {
    expect(ringsOf([importing('a', 'b'), { file: 'b', targets: [{ path: 'a', isType: true }] }])).toEqual([])
  })
})
