import { buildApp } from './app.ts'
import { demoAccounts, demoPassword, ensureDemoData, ensureWebApp } from './demo.ts'
import type { Config } from './platform/config.ts'
import { listen } from './platform/http/listen.ts'
import { StartError } from './platform/start-error.ts'
import { type AssembledServices, runProgram, startServices, startWork, stopOnSignal } from './start.ts'

await runProgram(async (config) => {
  // The database and the web app know nothing of each other, so they are made ready at the same time.
  const [assembled] = await Promise.all([startWithData(config), ensureWebApp()])
  const { services } = assembled
  const work = config.LIS_WORKER === 'in-process' ? await startWork(assembled) : null
  const app = await buildApp(services)
  const stop = async () => {
    await app.close()
    await work?.stop()
    await assembled.stop()
  }
  try {
    await listen(app, { port: config.PORT, host: config.HOST })
  } catch (error) {
    await stop()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartError(
      `Port ${config.PORT} is in use. Stop what uses it, or start with another one, e.g. PORT=${config.PORT + 1} npm start`,
    )
  }
  stopOnSignal(stop)
  welcome(config)
})

async function startWithData(config: Config): Promise<AssembledServices> {
  const assembled = await startServices(config)
  if (!config.demo) return assembled
  try {
    await ensureDemoData(assembled.services.system)
    return assembled
  } catch (error) {
    await assembled.stop()
    throw error
  }
}

function welcome(config: Config) {
  const lines = [`Lab Information System (LIS) is ready at ${config.publicUrl}`]
  if (config.demo) {
    lines.push(
      '',
      `Demo accounts: ${demoAccounts.join(', ')}`,
      `Password:      ${demoPassword}`,
      `Codes and mails arrive at ${config.publicUrl}/demo/outbox`,
    )
  } else lines.push('', 'No account yet? npm run create-admin')
  console.log(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
}
