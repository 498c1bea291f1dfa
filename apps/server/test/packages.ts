import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs of Debian packages that a proof needs. */
const programs = {
  etcd: { file: 'etcd', package: 'etcd-server' },
  patroni: { file: 'patroni', package: 'patroni' },
  haproxy: { file: 'haproxy', package: 'haproxy' },
  pgbouncer: { file: 'pgbouncer', package: 'pgbouncer' },
} as const

export type Program = keyof typeof programs

/** LIS_TEST_PACKAGES: another root below which the packages were unpacked. */
const root = process.env.LIS_TEST_PACKAGES || '/'
const folders = ['usr/bin', 'usr/sbin', 'usr/local/bin', 'usr/local/sbin'].map((folder) => join(root, folder))

export const installCommand = 'apt-get install --no-install-recommends postgresql pgbouncer haproxy patroni etcd-server'

export const programPath = (program: Program): string | null =>
  folders.map((folder) => join(folder, programs[program].file)).find(canRun) ?? null

/** The folder with the server programs of the newest packaged PostgreSQL. */
export const postgresFolder = (): string | null => {
  const installed = join(root, 'usr/lib/postgresql')
  const versions = existsSync(installed)
    ? readdirSync(installed)
        .map(Number)
        .sort((a, b) => b - a)
    : []
  return (
    versions.map((version) => join(installed, String(version), 'bin')).find((bin) => canRun(join(bin, 'postgres'))) ??
    null
  )
}

/** The packages that are missing for these programs. */
export const missingPackages = (needed: readonly Program[], needsPostgres: boolean): string[] => [
  ...(needsPostgres && postgresFolder() === null ? ['postgresql'] : []),
  ...needed.filter((program) => programPath(program) === null).map((program) => programs[program].package),
]

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** None of them runs as root, so they run as the user `postgres`, which the packages create. */
export const ordinaryUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const [, , uid, gid] = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  if (!uid || !gid) throw new Error('There is no user postgres to run the databases as')
  return { uid: Number(uid), gid: Number(gid) }
}
