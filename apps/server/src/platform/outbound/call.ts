import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { publicLookup, requirePublicAddress } from './addresses.ts'

interface OutboundCall {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** OUTBOUND_ALLOW. */
  allow: readonly string[]
  signal: AbortSignal
  /** 0: the status is enough, and the body is not waited for. */
  maxBytes: number
}

export interface OutboundReply {
  status: number
  text: string
}

/** Calls an address given by an outside party: public addresses only, checked while connecting, and redirects are not followed. */
export const callOutside = async (address: string, call: OutboundCall): Promise<OutboundReply> => {
  const url = requirePublicAddress(address, call.allow)
  const { method, headers = {}, body, signal } = call
  const open = url.protocol === 'https:' ? requestTls : requestPlain
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = open(url, {
      method,
      headers: { ...headers, ...length },
      signal,
      agent: false,
      lookup: publicLookup(url, call.allow),
    })
    request.once('response', resolve)
    request.on('error', reject) // also one that follows the response
    request.end(body)
  })
  return { status: response.statusCode ?? 0, text: await readLimited(response, call.maxBytes) }
}

/** The beginning of the reply; the rest is not read. */
const readLimited = async (response: IncomingMessage, maxBytes: number): Promise<string> => {
  if (maxBytes === 0) {
    response.destroy()
    return ''
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, maxBytes - size))
    size += chunk.length
    if (size >= maxBytes) break
  }
  response.destroy()
  return Buffer.concat(chunks).toString('utf8')
}
