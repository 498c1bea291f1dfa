import { z } from 'zod'
import { done, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { flag01, optionalText, required, requiredId } from './validation.ts'

/** The topic of events about the connections of instruments. */
export const instrumentTopic = 'instruments'

export const instrumentLabels = {
  name: 'Instrument',
  labId: 'Laboratory',
  model: 'Model',
  serialNumber: 'Serial Number',
  protocol: 'Protocol',
  host: 'Host',
  port: 'Port',
  isActive: 'Active',
} as const

const instrumentProtocols = ['ASTM', 'HL7', 'FILE'] as const

const linkStates = ['LISTENING', 'CONNECTED', 'CLOSED', 'ERROR'] as const

const port = z
  .union([z.literal('').transform(() => null), z.coerce.number<string | number>({ error: messages.invalid('Port') })])
  .nullish()
  .transform((value) => value ?? null)
  .pipe(
    z
      .number({ error: messages.invalid('Port') })
      .int(messages.invalid('Port'))
      .min(1, 'Port must be from 1 to 65535')
      .max(65_535, 'Port must be from 1 to 65535')
      .nullable(),
  )

const instrumentInput = z.object({
  name: required(instrumentLabels.name, 100),
  labId: requiredId(instrumentLabels.labId),
  model: optionalText(instrumentLabels.model, 100),
  serialNumber: optionalText(instrumentLabels.serialNumber, 100),
  protocol: z.enum(instrumentProtocols, { error: messages.required(instrumentLabels.protocol) }),
  /** We connect to it; without a host we listen on the port. */
  host: optionalText(instrumentLabels.host, 253),
  port,
  isActive: flag01.nullish().transform((value) => value ?? 1),
})
export type InstrumentInput = z.infer<typeof instrumentInput>
const instrumentUpdate = z.object(updateFields(instrumentInput.shape))
export type InstrumentUpdate = z.infer<typeof instrumentUpdate>

const text = z.string().nullable()
const instrument = z.object({
  id: z.number().int(),
  version: z.number().int(),
  name: z.string(),
  labId: z.number().int(),
  labName: z.string(),
  labZone: z.string(),
  model: text,
  serialNumber: text,
  protocol: z.enum(instrumentProtocols),
  host: text,
  port: z.number().int().nullable(),
  isActive: flag01,
  linkState: z.enum(linkStates),
  /** In words: why there is an error, who is connected, what went wrong last. */
  linkMessage: text,
  lastSeenAt: z.iso.datetime({ offset: true }).nullable(),
  /** How far the clock of the instrument is ahead, as its last message says. */
  clockOffsetSec: z.number().int().nullable(),
})
export type Instrument = z.infer<typeof instrument>

const fields = Object.keys(instrumentLabels)

export const instrumentRoutes = {
  list: get('instruments', {
    access: 'instruments.read',
    query: listQuery({
      sort: ['id', ...fields],
      filter: ['id', 'name', 'labId', 'protocol', 'isActive', 'search'],
      defaultPerPage: 100,
    }),
    reply: page(instrument),
  }),
  one: get('instruments/:id', { access: 'instruments.read', params: byId, reply: one(instrument) }),
  create: post('instruments', { access: 'instruments.write', body: instrumentInput, reply: newId }),
  update: put('instruments/:id', {
    access: 'instruments.write',
    params: byId,
    body: instrumentUpdate,
    reply: one(instrument),
  }),
  remove: del('instruments/:id', { access: 'instruments.write', params: byId, reply: done }),
}
