import { openDatabaseForWorker } from './platform/open-database.ts'
import { runProgram, startServices, startWork, stopOnSignal } from './start.ts'

/** Works on jobs, messages and upkeep without serving anybody: `npm run start:worker`, as many as the work needs. */
await runProgram(async (config) => {
  const assembled = await startServices(config, openDatabaseForWorker(startAgain))
  const work = await startWork(assembled)
  stopOnSignal(async () => {
    await work.stop()
    await assembled.stop()
  })
  console.log('The worker is ready.')
})

/** Whoever started it starts it again; what it was working on goes on then. */
function startAgain() {
  console.error('The database of the server is at another address now. The worker ends, to be started again.')
  process.exit(1)
}
