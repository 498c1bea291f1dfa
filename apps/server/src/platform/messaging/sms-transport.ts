import { Refused, type Transport } from './message.ts'

export interface SmsOptions {
  url: string
  token?: string | undefined
}

/** Errors of the number or the text; every other status is about the gateway or our account there. */
const finalStatuses = [400, 410, 413, 422]

/** For any gateway that accepts `{to, body}` as JSON. */
export const openSmsTransport = ({ url, token }: SmsOptions): Transport => ({
  send: async ({ to, body, reference }, signal) => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': reference,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ to, body }),
      redirect: 'error',
      signal,
    })
    const text = (await reply.text()).slice(0, 200)
    if (!reply.ok) {
      const answer = `The SMS gateway answered ${reply.status}: ${text}`
      throw finalStatuses.includes(reply.status) ? new Refused(answer) : new Error(answer)
    }
    return `${reply.status} ${text}`
  },
  close: () => undefined,
})
