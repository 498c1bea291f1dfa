import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

// An analyser that speaks LIS01-A2, written from the standard and not from the server's code, so that the two can prove each other.

const ENQ = '\x05'
const ACK = '\x06'
const NAK = '\x15'
const EOT = '\x04'
const STX = '\x02'
const ETX = '\x03'
const ETB = '\x17'

/** Modulo 256, of everything from the frame number to ETX or ETB. */
const sumOf = (content: string) =>
  (Buffer.from(content, 'latin1').reduce((sum, byte) => sum + byte, 0) & 0xff)
    .toString(16)
    .toUpperCase()
    .padStart(2, '0')

/** A frame as it goes over the line. */
export const astmFrame = (number: number, text: string, isLast = true): string => {
  const content = `${number % 8}${text}${isLast ? ETX : ETB}`
  return `${STX}${content}${sumOf(content)}\r\n`
}

interface AnalyserOptions {
  port: number
  host?: string
  /** How long it waits for an answer. */
  answerMs?: number
}

/** One connection of an analyser. */
export class Analyser {
  readonly socket: Socket
  readonly #answerMs: number
  #received = ''
  #wake: () => void = () => undefined

  private constructor(socket: Socket, answerMs: number) {
    this.socket = socket
    this.#answerMs = answerMs
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1')
      this.#wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => this.#wake())
  }

  /** Calls the server. */
  static async connect({ port, host = '127.0.0.1', answerMs = 15_000 }: AnalyserOptions): Promise<Analyser> {
    const socket = connect(port, host)
    await once(socket, 'connect')
    return new Analyser(socket, answerMs)
  }

  /** Waits for the server to call. */
  static async listen({
    port,
    answerMs = 15_000,
  }: Omit<AnalyserOptions, 'host'>): Promise<{ analyser: Promise<Analyser>; close: () => void }> {
    const server = createServer()
    server.listen(port)
    await once(server, 'listening')
    const analyser = once(server, 'connection').then(([socket]) => new Analyser(socket as Socket, answerMs))
    return { analyser, close: () => server.close() }
  }

  write(bytes: string) {
    this.socket.write(Buffer.from(bytes, 'latin1'))
  }

  /** The next character of the server; null if none comes in time or the connection is closed. */
  async next(waitMs = this.#answerMs): Promise<string | null> {
    const end = Date.now() + waitMs
    while (this.#received === '') {
      const left = end - Date.now()
      if (left <= 0 || this.socket.destroyed) return null
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, left)
        this.#wake = () => {
          clearTimeout(timer)
          resume()
        }
      })
    }
    const [first = ''] = this.#received
    this.#received = this.#received.slice(1)
    return first
  }

  async #nextLine(): Promise<string> {
    let line = ''
    for (let sign = await this.next(); sign !== null; sign = await this.next()) {
      line += sign
      if (sign === '\n') return line
    }
    return line
  }

  /** What the server answers to this frame. */
  async ask(bytes: string): Promise<string | null> {
    this.write(bytes)
    return this.next()
  }

  /** Sends a message in a session of its own: one frame for each record unless others are given. */
  async send(records: readonly string[], frames: readonly string[] = records.map((record) => `${record}\r`)) {
    if ((await this.ask(ENQ)) !== ACK) throw new Error('The server did not answer ENQ by ACK')
    for (const [index, text] of frames.entries()) {
      const isLast = frames === records || index === frames.length - 1 || text.endsWith('\r')
      await this.sendFrame(index + 1, text, isLast)
    }
    this.write(EOT)
  }

  async sendFrame(number: number, text: string, isLast = true) {
    for (let tries = 1; ; tries++) {
      const answer = await this.ask(astmFrame(number, text, isLast))
      if (answer === ACK) return
      if (answer !== NAK || tries === 6) {
        this.write(EOT)
        throw new Error(answer === NAK ? 'The server refused a frame six times' : 'The server did not answer a frame')
      }
    }
  }

  /** Takes the next message of the server; `refuseFirst` answers its first frame by NAK once. */
  async receive({ refuseFirst = false } = {}): Promise<{ records: string[]; longest: number }> {
    for (let sign = await this.next(); sign !== ENQ; sign = await this.next())
      if (sign === null) throw new Error('The server did not call')
    this.write(ACK)
    let text = ''
    let longest = 0
    let number = 1
    let isRefused = !refuseFirst
    for (;;) {
      const start = await this.next()
      if (start === EOT) return { records: text.split('\r').filter(Boolean), longest }
      if (start !== STX) throw new Error('The server sent no frame')
      const line = await this.#nextLine()
      const [content, sum] = [line.slice(0, -4), line.slice(-4, -2)]
      if (sumOf(content) !== sum || content[0] !== String(number % 8)) throw new Error('The server sent a wrong frame')
      if (!isRefused) {
        isRefused = true
        this.write(NAK)
        continue
      }
      longest = Math.max(longest, content.length - 2)
      text += content.slice(1, -1)
      number++
      this.write(ACK)
    }
  }

  /** Asks for the open tests of specimens. */
  async query(specimens: readonly string[], at = astmTime(new Date())): Promise<string[]> {
    const range = specimens.map((specimen) => `^${specimen}`).join('\\')
    await this.send([header(at), `Q|1|${range}||ALL||||||||O`, 'L|1|N'])
    return (await this.receive()).records
  }

  close() {
    this.socket.destroy()
  }
}

/** YYYYMMDDHHMMSS as the analyser's clock shows it, in UTC unless an offset in minutes is given. */
export const astmTime = (at: Date, offsetMinutes = 0): string =>
  new Date(at.getTime() + offsetMinutes * 60_000).toISOString().replace(/\D/g, '').slice(0, 14)

export const header = (at: string): string => `H|\\^&|||SIM^1|||||LIS||P|LIS2-A2|${at}`

export interface SentResult {
  specimen: string | number
  code: string
  value: string
  units?: string
  /** */
  abnormal?: string
  /** */
  status?: string
  operator?: string
  at?: string
  /** Comments of type I. */
  comments?: string[]
  isControl?: boolean
}

/** The records of a message with these results, in the order in which they are given. */
export const resultRecords = (results: readonly SentResult[], at = astmTime(new Date())): string[] => {
  const records = [header(at)]
  let specimen: string | undefined
  let [patient, place] = [0, 0]
  for (const result of results) {
    if (String(result.specimen) !== specimen) {
      specimen = String(result.specimen)
      patient++
      place = 0
      // O-12 is the sixth field after the priority.
      const action = result.isControl ? 'Q' : 'N'
      records.push(`P|${patient}`, `O|1|${specimen}||^^^${result.code}|R||||||${action}`)
    }
    place++
    const { code, value, units = '', abnormal = '', status = 'F', operator = 'op', comments = [] } = result
    records.push(`R|${place}|^^^${code}|${value}|${units}||${abnormal}||${status}||${operator}||${result.at ?? at}`)
    records.push(...comments.map((text, index) => `C|${index + 1}|I|${text}|I`))
  }
  return [...records, 'L|1|N']
}
