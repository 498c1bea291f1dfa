import type { Pool } from '../../platform/db/pool.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { digestObject } from '../../platform/storage/stored-files.ts'
import { type HashedContent, hashOf } from '../reports/release.ts'

interface SignatureRow {
  id: number
  report_id: number
  version_no: number
  /** The row as it is, and as the audit recorded it; null where one of them is missing. */
  stored: Record<string, unknown> | null
  recorded: Record<string, unknown> | null
  signed: Pick<HashedContent, 'content' | 'fileSha256'> | null
  content_sha256: string | null
  file_sha256: string | null
  object_key: string | null
  is_void: boolean
  is_void_recorded: boolean
}

interface SignatureCheck {
  signatures: number
  /** One line for each version with an invalid signature. */
  faults: string[]
}

/** Compares every signature with its row, its content, its file, and the audit that recorded it. */
export const verifySignatures = async (
  pool: Pick<Pool, 'query'>,
  store: Pick<ObjectStore, 'get'>,
  /** Months of the audit were not loaded: the audit row of a signature may be among them. */
  isAuditPartial = false,
): Promise<SignatureCheck> => {
  const { rows } = await pool.query<SignatureRow>(`
    with recorded as (
      select entity_id, (array_agg(new_data order by id) filter (where action = 'SIGN'))[1] as data, bool_or(action = 'VOID') as is_void
      from audit_entry where entity = 'report_signature' group by entity_id
    )
    select coalesce(s.id, a.entity_id) as id, coalesce(s.report_id, (a.data ->> 'reportId')::bigint) as report_id,
      coalesce(s.version_no, (a.data ->> 'versionNo')::int) as version_no, a.data as recorded, s.content as signed,
      case when s.id is not null then jsonb_build_object('reportId', s.report_id, 'versionNo', s.version_no, 'userId', s.user_id, 'signerName', s.signer_name,
        'qualifications', s.qualifications, 'meaningCode', s.meaning_code, 'signedZone', s.signed_zone, 'signedAt', extract(epoch from s.signed_at) * 1000,
        'contentSha256', encode(s.content_sha256, 'hex'), 'fileSha256', encode(s.file_sha256, 'hex')) end as stored,
      encode(s.content_sha256, 'hex') as content_sha256, encode(s.file_sha256, 'hex') as file_sha256, f.object_key,
      exists (select from report_signature_void x where x.signature_id = s.id) as is_void, coalesce(a.is_void, false) as is_void_recorded
    from report_signature s full join recorded a on a.entity_id = s.id left join stored_file f on f.id = s.file_id order by 1`)
  const faults = new Set<string>()
  for (const row of rows)
    if (!(await isAsSigned(row, store, isAuditPartial)))
      faults.add(`signature: report ${row.report_id} version ${row.version_no}`)
  return { signatures: rows.length, faults: [...faults] }
}

const isAsSigned = async (
  row: SignatureRow,
  store: Pick<ObjectStore, 'get'>,
  isAuditPartial: boolean,
): Promise<boolean> => {
  const { stored, recorded, signed } = row
  if (!stored || !signed) return false
  if (recorded ? !isAsRecorded(row, stored, recorded) : !isAuditPartial) return false
  const { report_id: reportId, version_no: versionNo } = row
  if (hashOf({ reportId, versionNo, ...signed }) !== row.content_sha256) return false
  return (await fileHash(store, row.object_key)) === row.file_sha256
}

const isAsRecorded = (
  row: SignatureRow,
  stored: Record<string, unknown>,
  recorded: Record<string, unknown>,
): boolean => {
  const fields = Object.keys(stored).filter((name) => name !== 'signedAt')
  return (
    row.is_void === row.is_void_recorded &&
    fields.every((name) => stored[name] === recorded[name]) &&
    Number(stored.signedAt) === Date.parse(String(recorded.signedAt))
  )
}

const fileHash = async (store: Pick<ObjectStore, 'get'>, key: string | null): Promise<string | null> => {
  if (key === null) return null
  const digest = await digestObject(store, key).catch(() => null)
  return digest?.sha256.toString('hex') ?? null
}
