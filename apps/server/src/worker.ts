import { openDatabaseForWorker } from './platform/open-database.ts'
import { runProgram, startServices, startWork, stopOnSignal } from './start.ts'

/** Runs jobs, messages and maintenance without serving HTTP: `npm run start:worker`, in any number of processes. */
await runProgram(async (config) => {
  const assembled = await startServices(config, openDatabaseForWorker(exitForRestart))
  const work = await startWork(assembled)
  stopOnSignal(async () => {
    await work.stop()
    await assembled.stop()
  })
  console.log('The worker is ready.')
})

/** The service manager restarts it; interrupted jobs then continue. */
function exitForRestart() {
  console.error('The database of the server is at another address now. The worker ends, to be started again.')
  process.exit(1)
}
