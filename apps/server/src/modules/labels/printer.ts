import { connect } from 'node:net'

const timeoutMs = 5_000

/** Sends the bytes to a printer on a TCP port; fails when it does not accept them in time. */
export const sendToPrinter = (printer: string, bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const at = printer.lastIndexOf(':')
    const socket = connect({ host: printer.slice(0, at), port: Number(printer.slice(at + 1)) })
    // For the whole transfer: a printer may accept the connection and then not read.
    const timer = setTimeout(() => socket.destroy(new Error(`The label printer ${printer} does not answer`)), timeoutMs)
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
