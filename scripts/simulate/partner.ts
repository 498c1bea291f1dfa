import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type MessageKind,
  messageKinds,
  openPartnerMessages,
  type PartnerMessage,
} from '../../apps/server/seeds/laboratory/partner-messages.ts'
import { MllpDecoder, mllpBlock } from '../../apps/server/src/platform/hl7/mllp-decoder.ts'
import { type MllpAddress, type MllpConnection, openMllpConnection } from './mllp-connection.ts'

const usage = `  npm run simulate -- partner [options]
    Plays the system of a practice over MLLP: orders, changes, cancellations, news of patients, and faulty messages.
    --host, --port          where the server listens (HL7_LISTEN); 127.0.0.1 and 2575
    --app, --facility       MSH-3 and MSH-4 of an interface; the demo's MESA EHR and BM-04
    --npi, --physician      who orders, as NPI and last^first; the demo's
    --tests A,B             what is ordered; LIPID,CHOL,HDL,TRIG
    --kind                  only one kind: ${messageKinds.join(', ')}; a mix by default
    --count 20              how many messages, or --seconds 60
    --rate 2                messages per second
    --connections 1         shared by the messages in turn
    --processing P          MSH-11; T for an interface that is marked as a test
    --listen 6661           takes results at this port and answers AA, or the code of --answer
    --ca, --cert, --key     PEM files for TLS
    --seed 1 --quiet`

const options = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '2575' },
  app: { type: 'string', default: 'MESA EHR' },
  facility: { type: 'string', default: 'BM-04' },
  npi: { type: 'string', default: '1245000033' },
  physician: { type: 'string', default: 'Hansen^Sakura' },
  tests: { type: 'string', default: 'LIPID,CHOL,HDL,TRIG' },
  kind: { type: 'string' },
  count: { type: 'string' },
  seconds: { type: 'string' },
  rate: { type: 'string', default: '2' },
  connections: { type: 'string', default: '1' },
  processing: { type: 'string', default: 'P' },
  listen: { type: 'string' },
  answer: { type: 'string', default: 'AA' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  seed: { type: 'string', default: '1' },
  quiet: { type: 'boolean', default: false },
} as const

const run = async (args: string[]) => {
  const { values } = parseArgs({ args, options })
  const receiver = values.listen ? await takeResults(Number(values.listen), values.answer) : null
  const rate = Number(values.rate)
  const count = values.seconds ? Math.round(Number(values.seconds) * rate) : Number(values.count ?? 20)
  const address = addressOf(values)
  const connections = await Promise.all(
    Array.from({ length: Number(values.connections) }, () => openMllpConnection(address)),
  )
  const { app, facility, npi, physician, processing } = values
  const messages = openPartnerMessages(
    { app, facility, npi, physician, processing, tests: values.tests.split(',').map((code) => code.trim()) },
    {
      seed: Number(values.seed),
      run: Math.floor(Date.now() / 1000)
        .toString(36)
        .toUpperCase(),
    },
  )
  const next = () => messages.next(values.kind as MessageKind | undefined)
  const outcome = await send({ connections, next, count, rate, isQuiet: values.quiet })
  for (const connection of connections) connection.close()
  report(outcome)
  if (receiver) console.log('Results are taken until you press Ctrl C')
  process.exitCode = outcome.errors.length > 0 ? 1 : 0
}

const hint = 'Start the server with HL7_LISTEN, such as HL7_LISTEN=2575 npm start, and name the port by --port.'

export const simulatePartner = { usage, hint, run }

const addressOf = (values: { host: string; port: string; ca?: string; cert?: string; key?: string }): MllpAddress => {
  const { host, port, ca, cert, key } = values
  const read = (path: string | undefined) => (path ? readFileSync(path) : undefined)
  return { host, port: Number(port), ...(ca && { tls: { ca: read(ca), cert: read(cert), key: read(key) } }) }
}

interface Outcome {
  answers: Map<string, number>
  /** Milliseconds from sending to the answer. */
  times: number[]
  errors: string[]
  seconds: number
}

interface Sending {
  connections: readonly MllpConnection[]
  next: () => PartnerMessage
  count: number
  rate: number
  isQuiet: boolean
}

/** Sends at a steady rate, whether or not the answers keep up. */
const send = async ({ connections, next, count, rate, isQuiet }: Sending): Promise<Outcome> => {
  const outcome: Outcome = { answers: new Map(), times: [], errors: [], seconds: 0 }
  const started = performance.now()
  const open: Promise<void>[] = []
  for (let index = 0; index < count; index++) {
    const pause = started + (index * 1000) / rate - performance.now()
    if (pause > 0) await wait(pause)
    const connection = connections[index % connections.length] as MllpConnection
    open.push(sendOne(connection, next(), outcome, isQuiet))
  }
  await Promise.all(open)
  outcome.seconds = (performance.now() - started) / 1000
  return outcome
}

const sendOne = async (connection: MllpConnection, message: PartnerMessage, outcome: Outcome, isQuiet: boolean) => {
  const started = performance.now()
  try {
    const answer = await connection.ask(message.text)
    const took = performance.now() - started
    const code = codeOf(answer)
    outcome.times.push(took)
    outcome.answers.set(code, (outcome.answers.get(code) ?? 0) + 1)
    if (!isQuiet)
      console.log(`${code}  ${String(Math.round(took)).padStart(5)} ms  ${message.controlId}  ${message.what}`)
  } catch (error) {
    outcome.errors.push(`${message.controlId}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const codeOf = (answer: string) => /(?:^|\r)MSA.([A-Z]{2})/.exec(answer)?.[1] ?? 'no MSA'

const report = ({ answers, times, errors, seconds }: Outcome) => {
  const sorted = times.toSorted((a, b) => a - b)
  const part = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  const counts = [...answers].map(([code, count]) => `${code} ${count}`).join(', ')
  console.log(`${times.length} answers in ${seconds.toFixed(1)} s (${counts || 'none'}), ${errors.length} errors`)
  console.log(`answered in: median ${part(0.5)} ms, p99 ${part(0.99)} ms, longest ${part(1)} ms`)
  for (const error of errors.slice(0, 10)) console.error(error)
}

/** The receiving side: acknowledges every result message. */
const takeResults = (port: number, code: string) =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      const decoder = new MllpDecoder()
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => {
        for (const block of decoder.push(chunk)) {
          const fields = (block.toString().split('\r')[0] ?? '').split('|')
          console.log(`result ${fields[9]} of ${fields[3]}: ${block.length} bytes, answered ${code}`)
          const header = [
            'MSH',
            fields[1],
            fields[4],
            fields[5],
            fields[2],
            fields[3],
            fields[6],
            '',
            'ACK',
            fields[9],
            'P',
          ]
          socket.write(mllpBlock(`${header.join('|')}|2.5.1\rMSA|${code}|${fields[9]}\r`))
        }
      })
    })
    server.once('error', reject)
    server.listen(port, () => resolve(server))
  })
