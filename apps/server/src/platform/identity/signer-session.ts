import { sql } from 'kysely'
import { recordAudit } from '../audit/record.ts'
import type { Actor } from '../auth/actor.ts'
import { closeSessions } from '../auth/sessions.ts'
import type { Trx } from '../db/db.ts'
import { systemScope } from '../db/scope.ts'
import { forbidden } from '../errors.ts'
import { queueMessage } from '../messaging/outbox.ts'
import type { Services } from '../services.ts'
import { IdentityError } from './provider.ts'

/** Only a person in a session of their own signs. */
export const requireOwnSession = ({ apiClient, viewer }: Actor) => {
  if (apiClient) throw forbidden('An API client cannot sign')
  if (viewer) throw forbidden('Nobody can sign while viewing as somebody else')
}

interface LockedOptions {
  /** What was being signed: 'a report'. */
  what: string
  also?: (trx: Trx, message: string) => Promise<void>
}

/** Ends every session of an account that was locked while signing, and tells the administrators by mail (21 CFR 11.300(d)). */
export const endLockedSigner = (
  { databases, identity, config }: Services,
  actor: Actor,
  { what, also }: LockedOptions,
) =>
  databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      await closeSessions(trx, 'LOCKED', sql`user_id = ${actor.userId}`)
      await identity.signOutEverywhere(trx, actor.userName).catch((error: unknown) => {
        if (!(error instanceof IdentityError)) throw error
      })
      await recordAudit(trx, { userId: null, name: 'Sign-out' }, null, {
        entity: 'app_user',
        entityId: actor.userId,
        action: 'LOCK',
        reason: 'Five wrong passwords or codes while signing',
      })
      const message = `The account of ${actor.name} (${actor.userName}) was locked for 15 minutes after five wrong passwords or codes, the last of them while signing ${what}.`
      const administrators = await trx
        .selectFrom('app_user')
        .select('email')
        .where('role_code', '=', 'ADM')
        .where('status_code', '=', 'ACT')
        .where('deleted_at', 'is', null)
        .execute()
      for (const { email } of administrators)
        await queueMessage(trx, {
          channel: 'EMAIL',
          to: email,
          subject: 'An account was locked while signing',
          body: `${message}\n\n${config.publicUrl}/users`,
        })
      await also?.(trx, message)
    })
