import type { Schedule } from '@lis/contract/schedules.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { requireRequester } from '../../platform/auth/requester.ts'
import type { Config } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import type { Person } from './queries.ts'
import { findView, neededFor, type Subject } from './subject.ts'

const domainOf = (address: string) =>
  address
    .slice(address.lastIndexOf('@') + 1)
    .replace(/>$/, '')
    .toLowerCase()

/** The domain of the demo accounts. */
const demoDomain = 'example.com'

/** Whether an address is of one of the laboratory's mail domains. */
export const isOwnAddress = (
  { MAIL_DOMAINS, MAIL_FROM, demo }: Pick<Config, 'MAIL_DOMAINS' | 'MAIL_FROM' | 'demo'>,
  address: string,
) => {
  const usual = demo ? demoDomain : domainOf(MAIL_FROM)
  return (MAIL_DOMAINS.length > 0 ? MAIL_DOMAINS : [usual]).includes(domainOf(address))
}

type Tools = Pick<Services, 'system' | 'databases' | 'config'>

/** The user with the current role; null if they may not see it (any more). */
export const findRequester = async (
  tools: Tools,
  subject: Subject,
  { id }: Pick<Person, 'id'>,
): Promise<Actor | null> => {
  const [first, ...more] = neededFor(subject)
  if (!first) return null
  const actor = await requireRequester(tools, id, first, ...more).catch((error) => {
    if (error instanceof AppError) return null
    throw error
  })
  if (actor && 'viewId' in subject && !(await findView(tools.databases(actor.scope), actor, subject.viewId)))
    return null
  return actor
}

export const notAllowed = 'may not see this report'

/** The user of a receiver, or the reason why they get nothing. */
export const mayReceive = async (
  tools: Tools,
  subject: Subject,
  person: Person,
  sendAs: Schedule['sendAs'],
): Promise<Actor | string> => {
  const actor = person.isActive ? await findRequester(tools, subject, person) : null
  if (!actor) return notAllowed
  if (!person.email) return 'has no e-mail address'
  if (sendAs !== 'LINK' && !isOwnAddress(tools.config, person.email))
    return 'has an address outside the laboratory, which gets links only'
  return actor
}
