// Plays the systems around the laboratory, such as a practice's software or an analyser, against a running server.
import { simulateInstrument } from './simulate/instrument.ts'
import { simulatePartner } from './simulate/partner.ts'

/** Each reads its own options from the rest of the command line. */
interface Simulation {
  usage: string
  /** What to do where nothing listens. */
  hint: string
  run: (args: string[]) => Promise<void>
}
const simulations: Record<string, Simulation> = {
  instrument: simulateInstrument,
  partner: simulatePartner,
}

const [name = '', ...args] = process.argv.slice(2)
const simulation = simulations[name]
if (!simulation || args.includes('--help')) {
  const shown = simulation ? [simulation] : Object.values(simulations)
  console.error(`Usage:\n${shown.map(({ usage }) => usage).join('\n\n')}`)
  process.exitCode = simulation ? 0 : 1
} else
  await simulation.run(args).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNREFUSED') throw error
    console.error(`${error.message}\n${simulation.hint}`)
    process.exitCode = 1
  })
