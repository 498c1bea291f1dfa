import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { userCreate } from '@lis/contract/users.ts'
import { createUser } from '../modules/users/service.ts'
import type { Config } from '../platform/config.ts'
import { systemScope } from '../platform/db/scope.ts'
import { AppError } from '../platform/errors.ts'
import { switchToAuthenticator } from '../platform/identity/pool/totp.ts'
import { openDatabaseForTool } from '../platform/open-database.ts'
import { StartError } from '../platform/start-error.ts'
import { type AssembledServices, runProgram, startServices } from '../start.ts'

const questions = {
  username: 'Username',
  first: 'First name',
  last: 'Last name',
  email: 'Email',
  phone: 'Phone with country code',
} as const
type Answers = Record<keyof typeof questions, string>

/** Creates an administrator (MGMT), e.g. the first account of a new installation: `npm run create-admin`. */
await runProgram(async (config) => {
  const answers = await ask()
  const assembled = await startServices(config, openDatabaseForTool)
  try {
    await create(assembled, config, answers)
  } catch (error) {
    if (error instanceof AppError) throw new StartError(error.message)
    throw error
  } finally {
    await assembled.stop()
  }
})

async function ask(): Promise<Answers> {
  const option = { type: 'string' } as const
  const { values } = parseArgs({
    options: { username: option, first: option, last: option, email: option, phone: option },
  })
  const missing = (Object.keys(questions) as (keyof Answers)[]).filter((name) => !values[name])
  if (missing.length > 0 && !process.stdin.isTTY) {
    throw new StartError(
      `Missing: ${missing.map((name) => `--${name}`).join(' ')}\nUsage: npm run create-admin -- --username … --first … --last … --email … --phone …`,
    )
  }
  const terminal = missing.length > 0 ? createInterface({ input: process.stdin, output: process.stdout }) : null
  const answers = { ...values } as Answers
  for (const name of missing) answers[name] = (await terminal?.question(`${questions[name]}: `)) ?? ''
  terminal?.close()
  return answers
}

async function create({ services }: AssembledServices, config: Config, answers: Answers) {
  const db = services.databases(systemScope)
  if (config.demo && !(await db.selectFrom('app_user').select('id').limit(1).executeTakeFirst()))
    throw new StartError(
      'There is no demo laboratory here yet. For a real installation set LIS_DEMO=0; for a demo start it once first.',
    )
  const { id: department } = await db
    .selectFrom('department')
    .select('id')
    .where('code', '=', 'IT')
    .executeTakeFirstOrThrow()
  const parsed = userCreate.safeParse({
    userName: answers.username,
    userFirstName: answers.first,
    userLastName: answers.last,
    userEmail: answers.email,
    userPhone: answers.phone,
    userRoleCode: 'MGMT',
    deptIds: [department],
    isSubscribed: 0,
  })
  if (!parsed.success) throw new StartError(parsed.error.issues.map((issue) => issue.message).join('\n'))
  const { temporaryPassword } = await db
    .transaction()
    .execute((trx) =>
      createUser({ trx, services, requestId: null, actor: { userId: null, name: 'create-admin' } }, parsed.data),
    )
  console.log(`\nAdministrator ${answers.username} has been made.`)
  console.log(`Sign in at ${config.publicUrl}/login`)
  // With a mail gateway the password is sent by mail and need not be shown here.
  if (services.transports.EMAIL) console.log(`The invitation has been sent to ${answers.email}.`)
  else console.log(`Temporary password, valid ${config.TEMPORARY_PASSWORD_DAYS} days: ${temporaryPassword}`)
  if (services.identityPool && !services.identityPool.canSendSms) {
    const link = await switchToAuthenticator(services.identityPool, answers.username)
    console.log(
      `No SMS gateway is configured, so the second factor is an authenticator app. Enter this in it:\n${link}`,
    )
  }
}
