// Plays the systems around the laboratory, such as a practice's software or an analyser, against a running server.
import { simulateInstrument } from './simulate/instrument.ts'
import { simulatePartner } from './simulate/partner.ts'

/** Each reads its own options from the rest of the command line. */
const simulations: Record<string, { usage: string; run: (args: string[]) => Promise<void> }> = {
  instrument: simulateInstrument,
  partner: simulatePartner,
}

const [name = '', ...args] = process.argv.slice(2)
const simulation = simulations[name]
if (!simulation || args.includes('--help')) {
  const shown = simulation ? [simulation] : Object.values(simulations)
  console.error(`Usage:\n${shown.map(({ usage }) => usage).join('\n\n')}`)
  process.exitCode = simulation ? 0 : 1
} else await simulation.run(args)
