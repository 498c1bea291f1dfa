import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks: https://www.standardwebhooks.com

const prefix = 'whsec_'

export const makeSecret = () => `${prefix}${randomBytes(32).toString('base64')}`

/** The headers of one attempt: signed with every valid secret. */
export const signedHeaders = (id: string, body: string, secrets: readonly string[], at: Date) => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  }
}
