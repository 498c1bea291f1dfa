import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  Analyser,
  astmFrame,
  astmTime,
  resultRecords,
  type SentResult,
} from '../../apps/server/seeds/laboratory/analyser.ts'
import { openMllpConnection } from './mllp-connection.ts'

const usage = `  npm run simulate -- instrument --port 4001 --specimens 1000498,1000503 [options]
    Plays an analyser: asks for the open tests of specimens and sends their results, over ASTM or HL7.
    --host 127.0.0.1        where the server listens for the instrument
    --protocol astm         or hl7
    --specimens A,B         specimen numbers
    --codes A,B             what it measures where it does not ask (hl7, --no-query); by default what the server answers
    --listen                waits for the server to call, on --port (astm)
    --low 80 --high 200     values are drawn between these
    --units mg/dL
    --control QC-L1         a control specimen, measured first, with the value of --control-value (100)
    --no-query              sends without asking
    --repeat                sends everything twice
    --remeasure             measures each specimen once more and sends the other value
    --bad-frames            sends each frame with a wrong checksum first (astm)
    --every 300             a new run every so many seconds, until it is stopped
    --seed 1`

const options = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string' },
  protocol: { type: 'string', default: 'astm' },
  specimens: { type: 'string', default: '' },
  codes: { type: 'string', default: '' },
  low: { type: 'string', default: '80' },
  high: { type: 'string', default: '200' },
  units: { type: 'string', default: '' },
  control: { type: 'string' },
  'control-value': { type: 'string', default: '100' },
  'no-query': { type: 'boolean', default: false },
  listen: { type: 'boolean', default: false },
  repeat: { type: 'boolean', default: false },
  remeasure: { type: 'boolean', default: false },
  'bad-frames': { type: 'boolean', default: false },
  every: { type: 'string' },
  seed: { type: 'string', default: '1' },
} as const

type Options = ReturnType<typeof parseOptions>
const parseOptions = (args: string[]) => parseArgs({ args, options }).values

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const run = async (args: string[]) => {
  const chosen = parseOptions(args)
  if (!chosen.port || listOf(chosen.specimens).length + (chosen.control ? 1 : 0) === 0) {
    console.error(`Usage:\n${usage}`)
    process.exitCode = 1
    return
  }
  const problem = problemOf(chosen)
  if (problem) {
    console.error(problem)
    process.exitCode = 1
    return
  }
  const draw = drawing(Number(chosen.seed), Number(chosen.low), Number(chosen.high))
  for (;;) {
    await (chosen.protocol === 'hl7' ? runHl7(chosen, draw) : runAstm(chosen, draw))
    if (!chosen.every) return
    await wait(Number(chosen.every) * 1000)
  }
}

/** What these options ask for and it cannot do; null if it can do all. */
const problemOf = (chosen: Options): string | null => {
  const { protocol, codes, specimens, listen } = chosen
  if (protocol !== 'astm' && protocol !== 'hl7') return `There is no protocol ${protocol}: astm or hl7`
  if (protocol === 'hl7' && chosen['bad-frames']) return '--bad-frames cannot be used with hl7: HL7 has no frames'
  if (protocol === 'hl7' && listen) return '--listen cannot be used with hl7: it calls the server'
  const asks = protocol === 'astm' && !chosen['no-query'] && listOf(specimens).length > 0
  if (!asks && listOf(codes).length === 0) return '--codes is missing: it does not ask the server what to measure'
  return null
}

/** Values between two limits, the same ones for the same seed. */
const drawing = (seed: number, low: number, high: number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (low + (state / 2 ** 32) * (high - low)).toFixed(1)
  }
}

/** Our clock, with its zone: the laboratory may be in another. */
const now = () => `${astmTime(new Date())}+0000`

const openAnalyser = async ({ host, port: text, listen }: Options): Promise<Analyser> => {
  const port = Number(text)
  if (!listen) return Analyser.connect({ host, port })
  const { analyser, close } = await Analyser.listen({ port })
  console.log(`Waits for the server on port ${port}`)
  return analyser.finally(close)
}

/** The results once more, each with another value; controls are not measured again. */
const remeasured = (results: readonly SentResult[], chosen: Options, draw: () => string): SentResult[] =>
  results
    .filter(({ specimen }) => specimen !== chosen.control)
    .map((result) => {
      let value = draw()
      while (value === result.value && chosen.low !== chosen.high) value = draw()
      return { ...result, value }
    })

const runAstm = async (chosen: Options, draw: () => string) => {
  const analyser = await openAnalyser(chosen)
  try {
    const specimens = listOf(chosen.specimens)
    const asked = chosen['no-query'] || specimens.length === 0 ? null : ordersIn(await analyser.query(specimens, now()))
    if (asked)
      console.log(
        asked.size === 0
          ? 'The server knows no open tests'
          : [...asked].map(([specimen, codes]) => `${specimen}: ${codes.join(', ')}`).join('\n'),
      )
    const results = resultsOf(chosen, draw, (specimen) => asked?.get(specimen) ?? (asked ? [] : listOf(chosen.codes)))
    if (results.length === 0) return
    const send = async (list: readonly SentResult[]) => {
      const records = resultRecords(list, now())
      for (let times = chosen.repeat ? 2 : 1; times > 0; times--) {
        if (chosen['bad-frames']) await sendBadFirst(analyser, records)
        else await analyser.send(records)
      }
      report(list)
    }
    await send(results)
    if (chosen.remeasure) await send(remeasured(results, chosen, draw))
  } finally {
    analyser.close()
  }
}

/** The server answers each wrong frame by NAK, and the right one by ACK. */
const sendBadFirst = async (analyser: Analyser, records: readonly string[]) => {
  await analyser.ask('\x05')
  for (const [index, record] of records.entries()) {
    const good = astmFrame(index + 1, `${record}\r`)
    const answer = await analyser.ask(good.replace(/..\r\n$/, (sum) => (sum.startsWith('00') ? 'FF\r\n' : '00\r\n')))
    console.log(`Frame ${index + 1} with a wrong checksum: ${answer === '\x15' ? 'NAK' : 'not refused'}`)
    await analyser.sendFrame(index + 1, `${record}\r`)
  }
  analyser.write('\x04')
}

/** The open tests of each specimen in an answer of the server. */
const ordersIn = (records: readonly string[]): Map<string, string[]> =>
  new Map(
    records
      .map((record) => record.split('|'))
      .filter(([type]) => type === 'O')
      .map(([, , specimen = '', , tests = '']) => [
        specimen,
        tests.split('\\').map((test) => test.split('^')[3] ?? ''),
      ]),
  )

const resultsOf = (chosen: Options, draw: () => string, codesOf: (specimen: string) => string[]): SentResult[] => {
  const specimens = listOf(chosen.specimens)
  const codes = [...new Set([...specimens.flatMap(codesOf), ...listOf(chosen.codes)])]
  const one = (specimen: string, code: string, value: string): SentResult => ({
    specimen,
    code,
    value,
    units: chosen.units,
  })
  return [
    ...(chosen.control ? codes.map((code) => one(chosen.control as string, code, chosen['control-value'])) : []),
    ...specimens.flatMap((specimen) => codesOf(specimen).map((code) => one(specimen, code, draw()))),
  ]
}

const runHl7 = async (chosen: Options, draw: () => string) => {
  const connection = await openMllpConnection({ host: chosen.host, port: Number(chosen.port) })
  try {
    const measured = resultsOf(chosen, draw, () => listOf(chosen.codes))
    const results = chosen.remeasure ? [...measured, ...remeasured(measured, chosen, draw)] : measured
    for (const [index, { specimen, code, value, units = '' }] of results.entries()) {
      const at = now()
      const isControl = String(specimen) === chosen.control
      const message = [
        `MSH|^~\\&|SIM|BENCH|LIS|LAB|${at}||OUL^R22|${Date.now()}-${index}|P|2.5.1`,
        `SPM|1|${specimen}|||||||||${isControl ? 'Q' : 'P'}`,
        `OBR|1|${specimen}||${code}`,
        `OBX|1|NM|${code}||${value}|${units}|||||F|||||sim|||${at}`,
      ].join('\r')
      for (let times = chosen.repeat ? 2 : 1; times > 0; times--)
        console.log(
          `${specimen} ${code}: ${(await connection.ask(message)).split('\r').find((line) => line.startsWith('MSA')) ?? ''}`,
        )
    }
    report(results)
  } finally {
    connection.close()
  }
}

const report = (results: readonly SentResult[]) =>
  console.log(results.map(({ specimen, code, value }) => `${specimen} ${code} ${value}`).join('\n'))

const hint = 'The page of an instrument shows its port and whether the server listens there.'

export const simulateInstrument = { usage, hint, run }
