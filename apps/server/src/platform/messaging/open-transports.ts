import type { Config } from '../config.ts'
import type { Channel, Transports } from './message.ts'
import { openSmsTransport } from './sms-transport.ts'
import { openSmtpTransport } from './smtp-transport.ts'

/** The gateways that the configuration names. Modules add theirs (HL7, print) to the same table. */
export const openTransports = (
  config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'SMS_GATEWAY_URL' | 'SMS_GATEWAY_TOKEN'>,
): Transports => {
  const smtp = config.SMTP_URL ? openSmtpTransport({ url: config.SMTP_URL, from: config.MAIL_FROM }) : null
  const sms = config.SMS_GATEWAY_URL
    ? openSmsTransport({ url: config.SMS_GATEWAY_URL, token: config.SMS_GATEWAY_TOKEN })
    : null
  return { ...(smtp && { EMAIL: smtp, FAX: smtp }), ...(sms && { SMS: sms }) }
}

export const closeTransports = (transports: Transports) => {
  for (const transport of new Set(Object.values(transports))) transport.close()
}

const settings: Record<Channel, string> = {
  EMAIL: 'SMTP_URL',
  FAX: 'SMTP_URL',
  SMS: 'SMS_GATEWAY_URL',
  HL7: 'an HL7 connection',
  PRINT: 'a printer',
}

/** What to tell when a message cannot leave because nobody has said how. */
export const missingGateway = (channel: Channel) => `No gateway for ${channel} is configured (set ${settings[channel]})`
