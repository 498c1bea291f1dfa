import { buildApp } from './app.ts'
import { StartError } from './platform/db/embedded-postgres.ts'
import { runProgram, startServices, stopOnSignal } from './start.ts'

await runProgram(async (config) => {
  const { services, stop } = await startServices(config)
  const app = await buildApp(services)
  try {
    await app.listen({ port: config.PORT, host: config.HOST })
  } catch (error) {
    await app.close()
    await stop()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartError(
      `Port ${config.PORT} is in use. Stop what uses it, or start with another one, e.g. PORT=${config.PORT + 1} npm start`,
    )
  }
  stopOnSignal(async () => {
    await app.close()
    await stop()
  })
  console.log(`\n  Lab Information System (LIS) is ready at ${config.publicUrl}\n`)
})
