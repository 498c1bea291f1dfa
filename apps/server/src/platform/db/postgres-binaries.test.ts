import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { packagedBinaries, runnableBinaries } from './postgres-binaries.ts'

/** As root, PostgreSQL has to run as another user (65534 is `nobody` everywhere). */
const isRoot = process.getuid?.() === 0
const owner = isRoot ? { uid: 65534, gid: 65534 } : {}
const folder = mkdtempSync(join(tmpdir(), 'lis-binaries-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The programs in a folder that only its owner can enter. */
const closedCopy = async () => {
  const packaged = dirname(dirname((await packagedBinaries()).postgres))
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  cpSync(join(packaged, '../package.json'), join(closed, 'package.json'))
  cpSync(packaged, join(closed, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(closed, 'native')
}

describe('the programs of PostgreSQL', () => {
  it('are copied for another user from a folder that only root can enter, whose permissions stay unchanged', async () => {
    const native = await closedCopy()
    chmodSync(folder, 0o755)
    const shared = join(folder, 'shared')
    const umask = process.umask(0o077)
    const found = await runnableBinaries(native, owner, [shared]).finally(() => process.umask(umask))
    expect(dirname(dirname(dirname(found.postgres)))).toBe(isRoot ? shared : dirname(native))
    expect(execFileSync(found.initdb, ['--version'], { ...owner, cwd: '/', encoding: 'utf8' })).toContain('PostgreSQL')
    expect(statSync(dirname(native)).mode & 0o777).toBe(0o700)
    expect((await runnableBinaries(native, owner, [shared])).postgres).toBe(found.postgres)

    // A folder that someone else has created, or a link to another folder, is never used.
    const foreign = join(folder, 'foreign')
    mkdirSync(foreign)
    chmodSync(foreign, 0o777)
    const link = join(folder, 'link')
    symlinkSync(shared, link)
    const refused = runnableBinaries(native, owner, [foreign, link])
    if (isRoot)
      await expect(refused).rejects.toThrow(/foreign belongs to somebody else; .*link belongs to somebody else/)
    else await expect(refused).resolves.toMatchObject({ postgres: join(native, 'bin/postgres') })
  })
})
