import { createTransport } from 'nodemailer'
import { type OutgoingMessage, Refused, type Transport } from './message.ts'

export interface SmtpOptions {
  url: string
  from: string
  /** How long one SMTP command may take. */
  stepMs?: number
}

/** Mail over a small connection pool, urgent mail over a separate one. Faxes are mails too: the fax gateway has an e-mail address. */
export const openSmtpTransport = ({ url, from, stepMs = 20_000 }: SmtpOptions): Transport => {
  const openMailer = () =>
    createTransport({
      url,
      pool: true,
      maxConnections: 3,
      connectionTimeout: stepMs,
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      // A message must never make us read a file or a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  const [mailer, urgentMailer] = [openMailer(), openMailer()]
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost'
  return {
    send: async (message) => {
      const sending = (message.isUrgent ? urgentMailer : mailer).sendMail({
        from,
        // As an object: a comma in the address must not make two recipients of it.
        to: { name: '', address: message.to },
        subject: message.subject ?? '',
        text: message.body,
        messageId: `<${message.reference}@${domain}>`,
        attachments: attachmentsOf(message),
      })
      const { response } = await sending.catch((error: SmtpFault) => {
        throw isFinal(error) ? new Refused(error.message) : error
      })
      return response
    },
    close: () => {
      mailer.close()
      urgentMailer.close()
    },
  }
}

interface SmtpFault extends Error {
  code?: string
  responseCode?: number
  command?: string
}

/** 5xx after RCPT TO or DATA is about this message; after a sign-in or MAIL FROM it is about our settings, which can be fixed. */
const isFinal = ({ code, responseCode = 0, command = '' }: SmtpFault) =>
  (responseCode >= 500 && responseCode < 600 && ['RCPT TO', 'DATA'].includes(command)) ||
  // No server was contacted: the address is malformed.
  (code === 'EENVELOPE' && command === 'API')

const attachmentsOf = ({ attachments }: OutgoingMessage) =>
  attachments.map(({ fileName, contentType, content }) => ({ filename: fileName, contentType, content }))
