import { connect } from 'node:net'

const patienceMs = 5_000

/** Hands the bytes to a printer that listens on a port of its own; fails when it does not take them in time. */
export const sendToPrinter = (printer: string, bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const at = printer.lastIndexOf(':')
    const socket = connect({ host: printer.slice(0, at), port: Number(printer.slice(at + 1)) })
    // For the whole of it: a printer that accepts and then does not read is as silent as one that is switched off.
    const timer = setTimeout(
      () => socket.destroy(new Error(`The label printer ${printer} does not answer`)),
      patienceMs,
    )
    socket.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once('close', (hadError) => {
      clearTimeout(timer)
      if (!hadError) resolve()
    })
    socket.once('connect', () => socket.end(bytes, 'utf8'))
    socket.resume()
  })
