import { createHash } from 'node:crypto'

/** A result as an instrument sends it, whatever the protocol. */
export interface MeasuredResult {
  specimenId: string
  /** The order says that it is a control. */
  isControl: boolean
  code: string
  value: string
  units: string | null
  flags: string[]
  abnormalFlag: string | null
  /** F, P, X …, in capitals; empty where none was sent. */
  status: string
  operator: string | null
  reagentLot: string | null
  /** ISO text; null where the instrument gives no time. */
  measuredAt: string | null
  /** The completion time as sent; it distinguishes two measurements with the same value. */
  completedAt: string
  rawRecord: string
}

/** The same specimen, code, value, unit, status and time are the same result; without a time only within the same message. */
export const identityOf = (result: MeasuredResult, messageHash: Buffer): Buffer => {
  const { specimenId, isControl, code, value, units, status, completedAt } = result
  const when = completedAt || messageHash.toString('hex')
  return createHash('sha256')
    .update(
      JSON.stringify([
        specimenId,
        isControl,
        code,
        value,
        units,
        status === 'P' || status === 'X' ? status : 'F',
        when,
      ]),
    )
    .digest()
}

/** '-----' and results that could not be obtained. A text test needs a letter or a digit, a numeric one a digit. */
export const hasNoValue = (value: string, status: string | null, isNumeric: boolean): boolean =>
  status === 'X' || !(isNumeric ? /\d/ : /[\p{L}\d]/u).test(value)

/** N, L and H are the instrument's view of its own range; anything else is a flag. */
export const flagsOf = (abnormalFlags: readonly string[], comments: readonly string[]): string[] => [
  ...new Set([...abnormalFlags.filter((flag) => !['', 'N', 'L', 'H'].includes(flag.toUpperCase())), ...comments]),
]
