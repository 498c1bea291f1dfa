import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Origin } from '../origin.ts'

export type EventKind =
  | 'PASSWORD'
  | 'CODE'
  | 'SIGN_IN'
  | 'SIGN_OUT_EVERYWHERE'
  | 'NEW_PASSWORD'
  | 'CHANGE_PASSWORD'
  | 'FORGOT_PASSWORD'
  | 'RESET_LINK'
  | 'RESET_CODE'
  | 'LOCK'
  | 'SIGN_PASSWORD'
  | 'SIGN_CODE'
  | 'AUTHENTICATOR'
  | 'SECOND_FACTOR_SMS'
  | 'SECOND_FACTOR_TOTP'

/**
 * Records every attempt, also for unknown names, and adds an audit entry. The audit, which can never be cleaned, does not contain unknown
 * names: people type their password into the wrong field.
 */
export const recordEvent = (db: Db, userName: string, kind: EventKind, succeeded: boolean, origin: Origin) => {
  const action = succeeded || kind === 'LOCK' ? kind : `${kind}_FAILED`
  return sql`
    with event as (
      insert into identity_event (user_name, kind, succeeded, ip, user_agent)
      values (${userName.slice(0, 128)}, ${kind}, ${succeeded}, ${origin.ip}, ${origin.userAgent?.slice(0, 400) ?? null}) returning id
    ), person as (
      select id, first_name || ' ' || last_name as name from app_user where user_name = ${userName} and deleted_at is null
    )
    insert into audit_entry (entity, entity_id, action, actor_id, actor_name, chain_no, hash)
    select 'sign_in', event.id, ${action}, person.id, coalesce(person.name, '(unknown name)'), 0, '' from event left join person on true`.execute(
    db,
  )
}
