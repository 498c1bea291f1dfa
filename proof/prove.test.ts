import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('SCALE-01 without the packages it names the missing ones and the command, and ends with code 2', () => {
  const LIS_TEST_PACKAGES = mkdtempSync(join(tmpdir(), 'lis-no-packages-'))
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'prove.ts'), 'failover'],
      { encoding: 'utf8', env: { ...process.env, LIS_TEST_PACKAGES } },
    )
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr.trim()).toBe(
      'These packages are missing: postgresql, etcd-server, patroni, haproxy. On Debian: apt-get install --no-install-recommends postgresql pgbouncer haproxy patroni etcd-server',
    )
  } finally {
    rmSync(LIS_TEST_PACKAGES, { recursive: true, force: true })
  }
})
