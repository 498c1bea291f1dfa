import { z } from 'zod'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { compare, decimalOf, type Fraction, subtract } from './results/decimal.ts'
import { optionalText, requiredId } from './validation.ts'

/** The bands of a range in the order of its columns; bands with a sex may not overlap within it. */
export const rangeBands = [
  { name: 'colaReport', label: 'Reportable', sex: null },
  { name: 'colaMNormal', label: 'Male Normal', sex: 'M' },
  { name: 'colaMBorder', label: 'Male Borderline', sex: 'M' },
  { name: 'colaMUnfav', label: 'Male Unfavorable', sex: 'M' },
  { name: 'colaFNormal', label: 'Female Normal', sex: 'F' },
  { name: 'colaFBorder', label: 'Female Borderline', sex: 'F' },
  { name: 'colaFUnfav', label: 'Female Unfavorable', sex: 'F' },
] as const

type BandName = (typeof rangeBands)[number]['name']
type LimitName = `${BandName}${'Lo' | 'Hi'}`
const ends = ['Lo', 'Hi'] as const

export const rangeLabels = {
  testId: 'Test id',
  testCode: 'Test Code',
  testDesc: 'Test',
  colaSigDigits: 'Sig Digits',
  units: 'Units',
  ...(Object.fromEntries(
    rangeBands.flatMap((band) => ends.map((end) => [`${band.name}${end}`, `${band.label} ${end}`])),
  ) as Record<LimitName, string>),
} as const

// Text that the database stores as an exact decimal; fifteen digits are also exact as a JSON number.
const isDecimal = (limit: string) =>
  limit.length <= 40 && /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(limit) && limit.replace(/\D/g, '').length <= 15
const limitInput = (name: string) =>
  z
    .union([z.number(), z.string()], { error: `${name} must be a number` })
    .nullish()
    .transform((value, context) => {
      const limit = String(value ?? '').trim()
      if (limit === '') return null
      if (isDecimal(limit)) return limit
      context.addIssue({ code: 'custom', message: `${name} must be a number` })
      return z.NEVER
    })

const limitInputs = Object.fromEntries(
  rangeBands.flatMap(({ name }) =>
    ends.map((end) => [`${name}${end}`, limitInput(rangeLabels[`${name}${end}` as LimitName])]),
  ),
) as Record<LimitName, ReturnType<typeof limitInput>>

const sigDigits = 'Sig Digits must be a whole number from 0 to 10'

export const rangeInput = z
  .object({
    testId: requiredId(rangeLabels.testId),
    colaSigDigits: z
      .union([z.literal('').transform(() => null), z.coerce.number<string | number>().int(sigDigits)], {
        error: sigDigits,
      })
      .nullish()
      .transform((digits) => digits ?? null)
      .refine((digits) => digits === null || (digits >= 0 && digits <= 10), sigDigits),
    units: optionalText(rangeLabels.units, 50),
    ...limitInputs,
  })
  .superRefine((range, context) => {
    const complain = (name: BandName, message: string) =>
      context.addIssue({ code: 'custom', path: [`${name}Lo`], message })
    for (const { name } of rangeBands) {
      const { lo, hi } = bandOf(range, name)
      if (isAbove(lo, hi)) complain(name, 'Lo cannot be above Hi')
    }
    for (const sex of ['M', 'F'] as const) {
      const bands = bandsOf(range, sex)
      for (const name of overlappingBands(bands)) complain(name, 'Ranges overlap')
      for (const { name, message } of gapsBetween(bands)) complain(name, message)
    }
  })
export type RangeInput = z.infer<typeof rangeInput>
/** PUT changes only the fields that are sent; the limits are then checked together. */
export const rangeUpdate = z.object(updateFields(rangeInput.shape))
export type RangeUpdate = z.infer<typeof rangeUpdate>

type Limits = Record<LimitName, string | null>
interface Band {
  name: BandName
  /** Null means unbounded. */
  lo: string | null
  hi: string | null
}
const bandOf = (range: Limits, name: BandName): Band => ({ name, lo: range[`${name}Lo`], hi: range[`${name}Hi`] })

/** The bands of a sex that are set and valid, in the order of their columns. */
const bandsOf = (range: Limits, sex: 'M' | 'F'): Band[] =>
  rangeBands
    .filter((band) => band.sex === sex)
    .map(({ name }) => bandOf(range, name))
    .filter(({ lo, hi }) => (lo !== null || hi !== null) && !isAbove(lo, hi))

const numberOf = (limit: string): Fraction => decimalOf(limit.replace(/^\+/, ''))
const isAbove = (one: string | null, other: string | null) =>
  one !== null && other !== null && compare(numberOf(one), numberOf(other)) > 0
const isBelow = (one: string | null, other: string | null) => isAbove(other, one)

/** Two bands may share a limit, which then belongs to the less favorable one (`bandOf` of the result rules); anything more is an overlap. */
const overlappingBands = (bands: readonly Band[]): BandName[] =>
  bands
    .filter((band, index) =>
      bands.slice(0, index).some((other) => {
        const isApart = !isBelow(band.lo, other.hi) && band.lo !== null && other.hi !== null
        const isApartBelow = !isBelow(other.lo, band.hi) && other.lo !== null && band.hi !== null
        return !isApart && !isApartBelow
      }),
    )
    .map(({ name }) => name)

/** Neighbors may be one unit of the last decimal apart, as 5.6 and 5.7 are; a larger gap would leave values without a band. */
const gapsBetween = (bands: readonly Band[]): { name: BandName; message: string }[] => {
  const sorted = bands.toSorted((one, other) =>
    one.lo === null ? -1 : other.lo === null ? 1 : compare(numberOf(one.lo), numberOf(other.lo)),
  )
  return sorted.slice(1).flatMap((above, index) => {
    const { hi } = sorted[index] as Band
    const { lo } = above
    if (hi === null || lo === null) return []
    const decimals = Math.max(...[hi, lo].map((limit) => limit.split('.')[1]?.length ?? 0))
    const distance = subtract(numberOf(lo), numberOf(hi))
    const isGap = compare(distance, { n: 1n, d: 10n ** BigInt(decimals) }) > 0
    const message = `Values above ${hi} and below ${lo} are in no range: please close the gap`
    return isGap ? [{ name: above.name, message }] : []
  })
}

const id = z.number().int()
const limits = Object.fromEntries(Object.keys(limitInputs).map((name) => [name, z.number().nullable()])) as Record<
  LimitName,
  z.ZodNullable<z.ZodNumber>
>
/** A reference range of the collaborator; it overrides the catalogue's. */
export const collaboratorRange = z.object({
  id,
  testId: id,
  testCode: z.string(),
  testDesc: z.string(),
  colaSigDigits: id.nullable(),
  units: z.string().nullable(),
  ...limits,
  version: id,
})
export type CollaboratorRange = z.infer<typeof collaboratorRange>

/** A list; a single item may be sent without brackets. */
export const rangesInput = z.object({
  colaRanges: z.preprocess(
    (value) => (Array.isArray(value) ? value : [value ?? {}]),
    z.array(rangeInput).min(1, messages.required(rangeLabels.testId)).max(500),
  ),
})
