import { z } from 'zod'
import { messages } from './messages.ts'
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

// Text that the database takes as an exact decimal; fifteen digits also survive the number of a JSON reader.
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
    for (const { name } of rangeBands) {
      const { lo, hi } = bandOf(range, name)
      if (lo > hi) context.addIssue({ code: 'custom', path: [`${name}Lo`], message: 'Lo cannot be above Hi' })
    }
    for (const name of overlappingBands(range))
      context.addIssue({ code: 'custom', path: [`${name}Lo`], message: 'Ranges overlap' })
  })
export type RangeInput = z.infer<typeof rangeInput>

type Limits = Record<LimitName, string | null>
const bandOf = (range: Limits, name: BandName) => {
  const [lo, hi] = [range[`${name}Lo`], range[`${name}Hi`]]
  return {
    isSet: lo !== null || hi !== null,
    lo: lo === null ? Number.NEGATIVE_INFINITY : Number(lo),
    hi: hi === null ? Number.POSITIVE_INFINITY : Number(hi),
  }
}

/** Both ends belong to a band, so bands that share an end overlap: a value would have two meanings. */
const overlappingBands = (range: Limits): BandName[] =>
  rangeBands.flatMap((band, index) => {
    const own = bandOf(range, band.name)
    const earlier = rangeBands.slice(0, index).filter((other) => band.sex !== null && other.sex === band.sex)
    const isHit = earlier.some((other) => {
      const { isSet, lo, hi } = bandOf(range, other.name)
      return isSet && own.isSet && own.lo <= own.hi && lo <= hi && own.lo <= hi && lo <= own.hi
    })
    return isHit ? [band.name] : []
  })

const id = z.number().int()
const limits = Object.fromEntries(Object.keys(limitInputs).map((name) => [name, z.number().nullable()])) as Record<
  LimitName,
  z.ZodNullable<z.ZodNumber>
>
/** A reference range of the collaborator's own; it comes before the catalogue's. */
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

/** A list; one alone may come without brackets. */
export const rangesInput = z.object({
  colaRanges: z.preprocess(
    (value) => (Array.isArray(value) ? value : [value ?? {}]),
    z.array(rangeInput).min(1, messages.required(rangeLabels.testId)).max(500),
  ),
})
