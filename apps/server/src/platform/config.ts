import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { parseAddress } from './db/address.ts'

const flag = z.enum(['0', '1']).transform((value) => value === '1')
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

const minSecretLength = 32

const mllpUrl = z.url({ protocol: /^mllps?$/ })
const receivers = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(z.record(z.string().min(1), mllpUrl))

const databaseUrl = z.string().superRefine((text, context) => {
  try {
    parseAddress(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

/** Lower-case entries, separated by commas or spaces. */
const listOf = (pattern: RegExp, what: string) =>
  z.string().transform((text, context) => {
    const entries = text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((entry) => entry.toLowerCase())
    for (const entry of entries)
      if (!pattern.test(entry)) context.addIssue({ code: 'custom', message: `${entry} must be ${what}` })
    return entries
  })

const mailDomains = listOf(/^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/, 'a domain such as lab.example')

/** Hosts, or host:port, that may be called although they are not public. */
const outboundAllow = listOf(/^(\[[\da-f:.]+\]|[^\s/:@[\]]+)(:\d{1,5})?$/, 'host or host:port')

/** Every setting of the product. `.env.example` explains each; a test compares the two. */
const environment = z.object({
  PORT: integer(0, 65535).default(3000),
  HOST: z.string().min(1).default('localhost'),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  LIS_DATA_DIR: z.string().min(1).default('data'),
  LIS_DEMO: flag.optional(),
  LIS_SECRET: z.string().min(minSecretLength, `must be at least ${minSecretLength} characters long`).optional(),
  LIS_WORKER: z.enum(['in-process', 'separate']).default('in-process'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
  TRUST_PROXY: integer(0, 9).default(0),
  CONNECTIONS_PER_ADDRESS: integer(0, 1_000_000).default(1000),
  DRAIN_SECONDS: integer(0, 300).default(5),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  METRICS_TOKEN: z.string().min(16).optional(),

  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URL: databaseUrl.optional(),
  DATABASE_PREPARED: flag.optional(),
  DATABASE_POOL_SIZE: integer(1, 200).default(10),
  FILES_AT_ONCE: integer(1, 50).default(2),

  SESSION_TOKEN_SECONDS: integer(1, 86_400).default(15 * 60),
  SESSION_IDLE_SECONDS: integer(1, 86_400).default(30 * 60),
  SESSION_ABSOLUTE_SECONDS: integer(1, 7 * 86_400).default(12 * 3600),
  IDP_ACCESS_TOKEN_SECONDS: integer(1, 86_400).default(15 * 60),
  IDP_REFRESH_TOKEN_SECONDS: integer(1, 30 * 86_400).default(12 * 3600),
  PASSWORD_DAYS: integer(1, 3650).default(90),
  TEMPORARY_PASSWORD_DAYS: integer(1, 90).default(7),
  DOWNTIME_PASSWORD: z.string().min(12, 'must have 12 characters or more').optional(),
  UNDO_SECONDS: integer(1, 86_400).default(600),
  RATE_LIMIT_PER_MINUTE: integer(10, 1_000_000).default(1200),
  SIGN_IN_LIMIT_PER_MINUTE: integer(1, 1_000_000).default(60),

  S3_BUCKET: z.string().min(1).optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ENDPOINT: z.url().optional(),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_FORCE_PATH_STYLE: flag.default(false),

  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z.string().min(3).default('LIS <no-reply@localhost>'),
  MAIL_DOMAINS: mailDomains.default([]),
  SMS_GATEWAY_URL: z.url({ protocol: /^https?$/ }).optional(),
  SMS_GATEWAY_TOKEN: z.string().min(1).optional(),
  HL7_URL: mllpUrl.optional(),
  HL7_RECEIVERS: receivers.default({}),
  HL7_LISTEN: z
    .string()
    .regex(/^(?:(?:\[[\da-fA-F:]+\]|[^:\s]+):)?\d{1,5}$/, 'must be a port or host:port')
    .optional(),
  HL7_LISTEN_TLS_CERT: z.string().min(1).optional(),
  HL7_LISTEN_TLS_KEY: z.string().min(1).optional(),
  HL7_LISTEN_TLS_CA: z.string().min(1).optional(),
  OUTBOUND_ALLOW: outboundAllow.default([]),
  INSTRUMENT_FILES_DIR: z.string().min(1).optional(),
  INTERFACE_RAW_DAYS: integer(1, 3650).default(90),
  KEEP_AUDIT_MONTHS: integer(1, 1200).optional(),
  KEEP_ACCESS_LOG_MONTHS: integer(1, 1200).optional(),
  KEEP_OUTBOX_MONTHS: integer(1, 1200).optional(),
  DELIVERY_LATE_HOURS: integer(1, 720).default(24),

  COGNITO_REGION: z.string().min(1).optional(),
  COGNITO_USER_POOL_ID: z.string().min(1).optional(),
  COGNITO_CLIENT_ID: z.string().min(1).optional(),
  COGNITO_ENDPOINT: z.url().optional(),

  REPORT_CERT: z.string().min(1).optional(),
  REPORT_CERT_PASSWORD: z.string().optional(),
  REPORT_TSA_URL: z.url().optional(),
  RECORD_YEARS: integer(2, 100).default(10),
  VALIDATION_PACK_DIR: z.string().min(1).default('validation-pack'),

  LABEL_PRINTER: z
    .string()
    .regex(/^[^:\s]+:\d{1,5}$/, 'must be host:port')
    .optional(),

  BILLING_RUN_AT: z
    .string()
    .regex(/^(off|([01]\d|2[0-3]):[0-5]\d)$/, 'must be a time of day such as 01:30, or off')
    .default('01:30'),
  BILLING_NAME: z.string().max(60).optional(),
  BILLING_NPI: z
    .string()
    .regex(/^\d{10}$/, 'must have 10 digits')
    .optional(),
  BILLING_TAX_ID: z
    .string()
    .regex(/^\d{9}$/, 'must have 9 digits')
    .optional(),
  BILLING_CLIA: z
    .string()
    .regex(/^\d{2}D\d{7}$/, 'must look like 22D1234567')
    .optional(),
  BILLING_ADDRESS: z.string().max(55).optional(),
  BILLING_CITY: z.string().max(30).optional(),
  BILLING_STATE: z.string().length(2, 'must be the two letters of the state').optional(),
  BILLING_ZIP: z
    .string()
    .regex(/^\d{5}(-?\d{4})?$/, 'must have 5 or 9 digits')
    .optional(),
  BILLING_PHONE: z
    .string()
    .regex(/^\d{10}$/, 'must have 10 digits')
    .optional(),
  BILLING_SUBMITTER_ID: z.string().max(15).optional(),
  BILLING_RECEIVER_NAME: z.string().max(60).optional(),
  BILLING_RECEIVER_ID: z.string().max(15).optional(),
  BILLING_PAY_TO: z.string().max(200).optional(),
  BILLING_DUE_DAYS: z.coerce.number().int().min(0).max(365).default(30),
})

export const settingNames = Object.keys(environment.shape)

export interface Config extends Omit<z.output<typeof environment>, 'LIS_DEMO' | 'LIS_SECRET' | 'PUBLIC_URL'> {
  demo: boolean
  dataDir: string
  /** Signs links and encrypts stored secrets. */
  secret: string
  publicUrl: string
}

/** Lists every error of the environment at once, for the person who started the server. */
export class ConfigError extends Error {}

/** Reads the environment; an empty value counts as not set, so that `.env.example` can be copied as it is. */
export const readConfig = (env: Record<string, string | undefined>): Config => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = environment.safeParse(given)
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  faults.push(...contradictions(given))
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(`The settings are not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
  }
  const { LIS_DEMO, LIS_SECRET, PUBLIC_URL, ...rest } = parsed.data
  const dataDir = resolve(rest.LIS_DATA_DIR)
  return {
    ...rest,
    dataDir,
    demo: LIS_DEMO ?? !rest.DATABASE_URL,
    secret: LIS_SECRET ?? generatedSecret(dataDir),
    publicUrl: (PUBLIC_URL ?? `http://localhost:${rest.PORT}`).replace(/\/$/, ''),
  }
}

/** Errors of values that do not fit together. */
const contradictions = (env: Record<string, string | undefined>): string[] => {
  const faults: string[] = []
  if (env.S3_ENDPOINT && !env.S3_BUCKET) faults.push('S3_ENDPOINT: has no effect without S3_BUCKET')
  if (env.COGNITO_ENDPOINT && !env.COGNITO_USER_POOL_ID)
    faults.push('COGNITO_ENDPOINT: has no effect without COGNITO_USER_POOL_ID')
  if (env.SMS_GATEWAY_TOKEN && !env.SMS_GATEWAY_URL)
    faults.push('SMS_GATEWAY_TOKEN: has no effect without SMS_GATEWAY_URL')
  if (env.REPORT_CERT_PASSWORD && !env.REPORT_CERT)
    faults.push('REPORT_CERT_PASSWORD: has no effect without REPORT_CERT')
  if (Boolean(env.HL7_LISTEN_TLS_CERT) !== Boolean(env.HL7_LISTEN_TLS_KEY))
    faults.push('HL7_LISTEN_TLS_CERT, HL7_LISTEN_TLS_KEY: set both of them or none')
  if (env.HL7_LISTEN_TLS_CA && !env.HL7_LISTEN_TLS_CERT)
    faults.push('HL7_LISTEN_TLS_CA: has no effect without HL7_LISTEN_TLS_CERT')
  if (env.DATABASE_URL && !env.LIS_SECRET) faults.push('LIS_SECRET: is required together with DATABASE_URL')
  if (env.DATABASE_DIRECT_URL && !env.DATABASE_URL)
    faults.push('DATABASE_DIRECT_URL: has no effect without DATABASE_URL')
  if (env.DATABASE_REPLICA_URL && !env.DATABASE_URL)
    faults.push('DATABASE_REPLICA_URL: has no effect without DATABASE_URL')
  if (env.DATABASE_URL && env.LIS_DEMO === '1')
    faults.push('LIS_DEMO: demo data is never loaded into an external DATABASE_URL')
  const s3 = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  if (s3.some((name) => env[name]) && !s3.every((name) => env[name]))
    faults.push(`${s3.join(', ')}: set all of them or none`)
  const pool = ['COGNITO_REGION', 'COGNITO_USER_POOL_ID', 'COGNITO_CLIENT_ID'] as const
  if (pool.some((name) => env[name]) && !pool.every((name) => env[name]))
    faults.push(`${pool.join(', ')}: set all of them or none`)
  return faults
}

/** Without LIS_SECRET a secret is generated once and stored in the data folder. */
const generatedSecret = (dataDir: string): string => {
  const file = join(dataDir, 'secret.key')
  const secret = readOrCreate(dataDir, file)
  if (secret.length < minSecretLength)
    throw new ConfigError(
      `${file} is empty or truncated: a secret has ${minSecretLength} characters or more. Put it back from where you keep a copy. If there is none, remove the file and do what docs/operations.md says about a lost secret.`,
    )
  return secret
}

const readOrCreate = (dataDir: string, file: string): string => {
  try {
    if (!existsSync(file)) {
      mkdirSync(dataDir, { recursive: true })
      writeOnce(file, randomBytes(32).toString('base64url'))
    }
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(
      `The data folder ${dataDir} cannot be used: ${(error as Error).message}. Choose another with LIS_DATA_DIR.`,
    )
  }
}

/** Creates the file atomically, and never overwrites the secret of a process that was faster. */
const writeOnce = (file: string, text: string) => {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text, { mode: 0o600, flush: true })
  try {
    linkSync(temporary, file)
  } catch (error) {
    // Some file systems have no hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}
