import { type APIRequestContext, expect } from '@playwright/test'

interface Message {
  id: number
  channel: 'SMS' | 'EMAIL' | 'FAX' | 'HL7'
  to: string
  body: string
}

const sentCodes = async (request: APIRequestContext): Promise<Message[]> => {
  const messages: Message[] = await (await request.get('/demo/outbox.json')).json()
  return messages.filter((message) => message.channel === 'SMS' && /authentication code/i.test(message.body))
}

/** Remembers what has been sent so far, and gives the code that comes next. */
export const expectCode = async (request: APIRequestContext) => {
  const before = (await sentCodes(request))[0]?.id ?? 0
  return async (): Promise<string> => {
    let code: string | undefined
    await expect(async () => {
      const [newest] = await sentCodes(request)
      code = newest && newest.id > before ? newest.body.match(/\b\d{6}\b/)?.[0] : undefined
      expect(code, 'a new code in the demo outbox').toBeDefined()
    }).toPass({ timeout: 60_000 })
    return code as string
  }
}
