import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { recentlyCollected } from '../apps/server/test/given.ts'
import { openMllpClient, segmentsOf } from '../apps/server/test/mllp-client.ts'
import { orderBundle } from '../apps/server/test/order-bundle.ts'

/** Nobody has answered for so long: the connection is opened again, and the message repeated. */
const longestAnswerMs = 15_000

export interface PracticeSystem {
  hl7Port: number
  /** MSH-3 and MSH-4 of its HL7 interface. */
  app: string
  facility: string
  npi: string
  clientId: string
  clientSecret: string
}

/** Sends one HL7 order until it is answered AA, over a connection that may break at any moment. Null when it is stopped before. */
export const openHl7Sender = ({ hl7Port, app, facility, npi }: PracticeSystem) => {
  const open = async () => {
    const client = await openMllpClient(hl7Port)
    const broken = new Promise<never>((_, reject) =>
      client.socket.once('close', () => reject(new Error('The connection was closed'))),
    )
    broken.catch(() => undefined)
    return { client, broken }
  }
  let connection: Awaited<ReturnType<typeof open>> | null = null
  const close = () => {
    connection?.client.close()
    connection = null
  }
  const ask = async (text: string): Promise<string> => {
    connection ??= await open()
    const late = wait(longestAnswerMs, undefined, { ref: false }).then(() => {
      throw new Error('No answer')
    })
    late.catch(() => undefined)
    return Promise.race([connection.client.ask(text), connection.broken, late])
  }
  const send = async (isOver: () => boolean): Promise<{ placer: string; code: string; repeats: number } | null> => {
    const placer = randomUUID()
    const text = [
      `MSH|^~\\&|${app}|${facility}|LIS|LAB|20261118083712||ORM^O01|${placer}|P|2.5.1`,
      `PID|1||${placer}^^^FAC^MR||Crash${placer.slice(0, 8)}^Kim||19790509|F`,
      `ORC|NW|${placer}||||||||||${npi}^Crash^Ada^^^^^^NPI`,
      `OBR|1|${placer}||CHOL^Cholesterol^L|||${recentlyCollected().replace(/\D/g, '').slice(0, 12)}`,
    ].join('\r')
    for (let repeats = 0; !isOver(); repeats++) {
      const answer = await ask(text).catch(() => null)
      if (answer !== null) return { placer, code: segmentsOf(answer, 'MSA')[0]?.[1] ?? 'no MSA', repeats }
      close()
      await wait(60)
    }
    return null
  }
  return { send, close }
}

/** Sends one FHIR order until it is answered, with a token that is asked for again when it has ended. */
export const openFhirSender = ({ npi, clientId, clientSecret }: PracticeSystem, url: () => string) => {
  let token: string | null = null
  const signIn = async () => {
    const reply = await fetch(`${url()}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(longestAnswerMs),
    })
    if (reply.status !== 200) throw new Error(`No token: ${reply.status}`)
    return ((await reply.json()) as { access_token: string }).access_token
  }
  const post = async (body: string) => {
    token ??= await signIn()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' }
    const reply = await fetch(`${url()}/fhir/R4`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(2 * longestAnswerMs),
    })
    return { status: reply.status, text: await reply.text() }
  }
  return async (
    isOver: () => boolean,
  ): Promise<{ placer: string; status: number; text: string; repeats: number } | null> => {
    const placer = randomUUID()
    const body = JSON.stringify(orderBundle({ placer, code: 'CHOL', npi }))
    for (let repeats = 0; !isOver(); repeats++) {
      const reply = await post(body).catch(() => null)
      if (reply?.status === 401) token = null
      else if (reply && reply.status < 500) return { placer, ...reply, repeats }
      await wait(60)
    }
    return null
  }
}
