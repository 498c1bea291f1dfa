import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, readConfig, settingNames } from './config.ts'

type Env = Record<string, string>

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lis-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (env: Env = {}) => readConfig({ LIS_DATA_DIR: folder, ...env })
const secretFile = () => join(folder, 'secret.key')

/** The lines of the error, without its heading. */
const faultsOf = (env: Env): string[] => {
  try {
    read(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').slice(1)
    throw error
  }
  return []
}

const longSecret = 'a secret of thirty-two characters or more'
const database = { DATABASE_URL: 'postgres://lis:x@db.example.com/lis', LIS_SECRET: longSecret }
const s3 = { S3_BUCKET: 'lis', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' }
const cognito = { COGNITO_REGION: 'us-east-1', COGNITO_USER_POOL_ID: 'us-east-1_a', COGNITO_CLIENT_ID: 'client' }

describe('readConfig', () => {
  it('needs no setting at all', () => {
    expect(read()).toMatchObject({
      PORT: 3000,
      HOST: 'localhost',
      LIS_WORKER: 'in-process',
      TRUST_PROXY: 0,
      demo: true,
      dataDir: folder,
      publicUrl: 'http://localhost:3000',
    })
  })

  it('lists every error at once and names each variable', () => {
    const wrong = {
      PORT: 'abc',
      PUBLIC_URL: 'ftp://lis.example.com',
      LIS_DEMO: 'yes',
      LIS_SECRET: 'too short',
      LIS_WORKER: 'none',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: 'true',
      METRICS_TOKEN: 'short',
      DATABASE_URL: 'mysql://db.example.com/lis',
      DATABASE_POOL_SIZE: '0',
      SESSION_IDLE_SECONDS: '0',
      PASSWORD_DAYS: '1.5',
      MAIL_FROM: 'x',
      SMTP_URL: 'https://mail.example.com',
      LABEL_PRINTER: 'printer',
    }
    const faults = faultsOf(wrong)
    expect(faults.map((fault) => /^ {2}- (\w+): ./.exec(fault)?.[1]).sort()).toEqual(Object.keys(wrong).sort())
  })

  it('lists contradictions together with wrong values', () => {
    const faults = faultsOf({ PORT: '70000', DATABASE_URL: database.DATABASE_URL, S3_BUCKET: 'lis' })
    expect(faults).toHaveLength(3)
    expect(faults.join('\n')).toMatch(/PORT: .*\n.*LIS_SECRET: .*\n.*S3_BUCKET, /)
  })

  it('never repeats a secret in its message', () => {
    const secret = 'hunter2'
    const faults = faultsOf({ LIS_SECRET: secret, METRICS_TOKEN: secret, DATABASE_URL: `mysql://lis:${secret}@db/lis` })
    expect(faults).toHaveLength(3)
    expect(faults.join('\n')).not.toContain(secret)
  })

  it('counts an empty value as not set', () => {
    const empty = Object.fromEntries(settingNames.map((name) => [name, '']))
    expect(read({ ...empty, LIS_DATA_DIR: folder })).toEqual(read())
  })

  it('ignores variables of others', () => {
    expect(read({ PATH: '/bin', HOME: '/' })).not.toHaveProperty('PATH')
  })

  it('removes a trailing slash from the public URL', () => {
    expect(read({ PUBLIC_URL: 'https://lis.example.com/' }).publicUrl).toBe('https://lis.example.com')
  })
})

describe('the secret', () => {
  it('is generated once and stored in the data folder', () => {
    const { secret } = read()
    expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(read().secret).toBe(secret)
    expect(readFileSync(secretFile(), 'utf8')).toBe(secret)
  })

  it('is generated together with the data folder', () => {
    const dataDir = join(folder, 'not', 'there')
    expect(readConfig({ LIS_DATA_DIR: dataDir }).secret).toBe(readFileSync(join(dataDir, 'secret.key'), 'utf8'))
  })

  it.skipIf(process.platform === 'win32')('can be read only by its owner', () => {
    read()
    expect(statSync(secretFile()).mode & 0o777).toBe(0o600)
  })

  it('differs between folders', () => {
    expect(readConfig({ LIS_DATA_DIR: join(folder, 'other') }).secret).not.toBe(read().secret)
  })

  it.each([
    ['is empty', ''],
    ['was cut', 'x'.repeat(31)],
    ['holds only white space', ' '.repeat(40)],
  ])('is refused when its file %s, and the file stays unchanged', (_, text) => {
    writeFileSync(secretFile(), text)
    expect(() => read()).toThrow(ConfigError)
    expect(() => read()).toThrow(`${secretFile()} is empty or truncated`)
    expect(readFileSync(secretFile(), 'utf8')).toBe(text)
  })

  it('leaves no other file in the folder', () => {
    read()
    expect(readdirSync(folder)).toEqual(['secret.key'])
  })

  it('is not generated when LIS_SECRET is set', () => {
    expect(read({ LIS_SECRET: longSecret }).secret).toBe(longSecret)
    expect(existsSync(secretFile())).toBe(false)
  })

  it('must be given together with DATABASE_URL, because many processes share it', () => {
    expect(faultsOf({ DATABASE_URL: database.DATABASE_URL })).toEqual([
      '  - LIS_SECRET: is required together with DATABASE_URL',
    ])
    expect(existsSync(secretFile())).toBe(false)
  })
})

describe('demo mode', () => {
  it('is on with the embedded database unless switched off', () => {
    expect([read().demo, read({ LIS_DEMO: '1' }).demo, read({ LIS_DEMO: '0' }).demo]).toEqual([true, true, false])
  })

  it('is off with an external database and cannot be switched on', () => {
    expect([read(database).demo, read({ ...database, LIS_DEMO: '0' }).demo]).toEqual([false, false])
    expect(faultsOf({ ...database, LIS_DEMO: '1' })).toEqual([expect.stringContaining('LIS_DEMO: ')])
  })
})

describe.each([
  ['S3_*', s3],
  ['COGNITO_*', cognito],
])('%s', (_, settings: Env) => {
  const names = Object.keys(settings)

  it('is accepted when complete', () => {
    expect(read(settings)).toMatchObject(settings)
  })

  it.each(names)('is rejected when only %s is set', (name) => {
    expect(faultsOf({ [name]: settings[name] as string })).toEqual([`  - ${names.join(', ')}: set all of them or none`])
  })

  it.each(names)('is rejected when only %s is missing', (name) => {
    expect(faultsOf({ ...settings, [name]: '' })).toHaveLength(1)
  })
})

describe('.env.example', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../../.env.example'), 'utf8').split('\n')
  const setting = /^#?([A-Z][A-Z0-9_]*)=/
  const withDefaults = lines.map((line) => (setting.test(line) ? line.replace(/^#/, '') : line)).join('\n')

  it('names exactly the existing settings', () => {
    expect(lines.flatMap((line) => setting.exec(line)?.[1] ?? []).sort()).toEqual([...settingNames].sort())
  })

  it('explains each in the line above it', () => {
    const unexplained = lines.filter((line, index) => setting.test(line) && !lines[index - 1]?.startsWith('# '))
    expect(unexplained).toEqual([])
  })

  it.each([
    ['changes nothing when it is copied as it is', lines.join('\n')],
    ['shows the defaults that hold', withDefaults],
  ])('%s', (_, text) => {
    expect(read({ ...(parseEnv(text) as Env), LIS_DATA_DIR: folder })).toEqual(read())
  })
})

describe('docs/operations.md', () => {
  it('has a row for exactly the existing settings', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../docs/operations.md'), 'utf8')
    const [section = ''] = text.split('\n## Settings\n')[1]?.split('\n## ') ?? []
    const cells = section.split('\n').flatMap((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? [])
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name))
    expect(named.sort()).toEqual([...settingNames].sort())
  })
})
