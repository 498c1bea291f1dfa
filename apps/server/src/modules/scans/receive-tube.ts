import type { ScanInput } from '@lis/contract/scans.ts'
import { parseScannedCode, scannedReceipt, specimenInput } from '@lis/contract/specimens.ts'
import { sql } from 'kysely'
import { DateTime } from 'luxon'
import type { Db } from '../../platform/db/db.ts'
import { AppError, invalid, invalidInput } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findDefault } from '../lookups/queries.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { listNeededSpecimens } from '../specimens/queries.ts'
import { receiveSpecimen } from '../specimens/service.ts'
import { recordReceiptUndo } from '../specimens/undo.ts'

/** The tube of this label was received before: a second one of the same kind needs a word of the user. */
export class ReceivedBefore extends AppError {}

/** Receives the tube of a scanned label. */
export const receiveTube = async (
  call: WriteCall,
  { reqId, label }: { reqId: number; label: string },
  input: ScanInput,
) => {
  const { db, actor } = call
  await lockRequisition(db, actor, reqId)
  const suffix = parseScannedCode(input.code)?.suffix ?? ''
  const preset = await presetOf(db, reqId, input.code)
  const specimenTypeCode = input.specimenTypeCode ?? preset.specimenTypeCode
  const sent = {
    specimenTypeCode,
    // The default tube is one for serum.
    containerTypeCode:
      input.containerTypeCode ??
      preset.containerTypeCode ??
      (specimenTypeCode === 'SERUM' ? await findDefault(db, 'CONTAINERTYPE') : undefined),
    temperatureTypeCode: input.temperatureTypeCode ?? (await findDefault(db, 'TEMPERATURETYPE')),
  }
  if (!sent.specimenTypeCode)
    throw invalid('specimenTypeCode', 'Please choose the Specimen Type: the label does not say it')
  const parsed = specimenInput.safeParse(sent)
  if (!parsed.success) throw invalidInput(parsed.error)
  const before = input.isAnotherTube ? undefined : await findReceipt(db, reqId, suffix, parsed.data.specimenTypeCode)
  if (before) throw new ReceivedBefore('conflict', `${receivedText(before)}: ${label}`)
  const { id } = await receiveSpecimen(call, reqId, parsed.data, suffix)
  return { message: `Received: ${label}`, undoId: await recordReceiptUndo(call, reqId, id) }
}

/** The specimen on the label, otherwise the only one that the ordered tests need. */
const presetOf = async (db: Db, reqId: number, code: string) => {
  const scanned = parseScannedCode(code)
  const preset = scanned ? scannedReceipt(scanned) : {}
  if (preset.specimenTypeCode) return preset
  const needed = new Set((await listNeededSpecimens(db, reqId)).flatMap(({ specimenTypeCodes }) => specimenTypeCodes))
  const [only] = needed
  return only !== undefined && needed.size === 1 ? { specimenTypeCode: only } : {}
}

interface Receipt {
  at: string
  zone: string
  by: string | null
}

/** Tubes of one kind can be told apart only by two labels with a suffix each. */
const findReceipt = async (db: Db, reqId: number, suffix: string, typeCode: string): Promise<Receipt | undefined> => {
  const { rows } = await sql<Receipt>`
    select s.received_at as at, s.received_zone as zone, concat_ws(' ', u.first_name, u.last_name) as by
    from specimen s left join app_user u on u.id = s.created_by
    where s.requisition_id = ${reqId} and s.deleted_at is null and s.type_code = ${typeCode}
      and (${suffix} in ('', s.label_suffix) or coalesce(s.label_suffix, '') = '')
    order by s.received_at desc, s.id desc limit 1`.execute(db)
  return rows[0]
}

const receivedText = ({ at, zone, by }: Receipt): string => {
  const time = DateTime.fromJSDate(new Date(at), { zone })
  const day = time.hasSame(DateTime.now().setZone(zone), 'day') ? '' : ` on ${time.toFormat('MM/dd/yy')}`
  return `Already received${day} at ${time.toFormat('HH:mm ZZZZ')}${by ? ` by ${by}` : ''}`
}
