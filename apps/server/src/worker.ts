import { openDatabaseBeside } from './platform/open-database.ts'
import { runProgram, startServices, startWork, stopOnSignal } from './start.ts'

/** Works on jobs, messages and upkeep without serving anybody: `npm run start:worker`, as many as the work needs. */
await runProgram(async (config) => {
  const assembled = await startServices(config, openDatabaseBeside)
  const work = await startWork(assembled)
  stopOnSignal(async () => {
    await work.stop()
    await assembled.stop()
  })
  console.log('The worker is ready.')
})
