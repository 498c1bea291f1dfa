import type { Config } from '../config.ts'
import type { Channel, Transports } from './message.ts'
import { openMllpTransport } from './mllp-transport.ts'
import { openSmsTransport } from './sms-transport.ts'

/** Opens the configured gateways. */
export const openTransports = async (
  config: Pick<
    Config,
    'SMTP_URL' | 'MAIL_FROM' | 'SMS_GATEWAY_URL' | 'SMS_GATEWAY_TOKEN' | 'HL7_URL' | 'HL7_RECEIVERS'
  >,
): Promise<Transports> => {
  const smtp = config.SMTP_URL ? await openSmtp(config.SMTP_URL, config.MAIL_FROM) : null
  const sms = config.SMS_GATEWAY_URL
    ? openSmsTransport({ url: config.SMS_GATEWAY_URL, token: config.SMS_GATEWAY_TOKEN })
    : null
  const receivers = new Map(Object.entries(config.HL7_RECEIVERS))
  const hl7 = config.HL7_URL || receivers.size > 0 ? openMllpTransport({ url: config.HL7_URL, receivers }) : null
  return { ...(smtp && { EMAIL: smtp, FAX: smtp }), ...(sms && { SMS: sms }), ...(hl7 && { HL7: hl7 }) }
}

/** The mail library is loaded only where it is used. */
const openSmtp = async (url: string, from: string) =>
  (await import('./smtp-transport.ts')).openSmtpTransport({ url, from })

export const closeTransports = (transports: Transports) => {
  for (const transport of new Set(Object.values(transports))) transport.close()
}

const settings: Record<Channel, string> = {
  EMAIL: 'SMTP_URL',
  FAX: 'SMTP_URL',
  SMS: 'SMS_GATEWAY_URL',
  HL7: 'HL7_URL',
  PRINT: 'a printer',
}

/** The error of a message whose channel has no gateway. */
export const missingGateway = (channel: Channel) => `No gateway for ${channel} is configured (set ${settings[channel]})`
