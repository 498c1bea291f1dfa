import { rangeBands, rangeLabels } from '@lis/contract/collaborator-ranges.ts'
import type { defaultTestRow } from '@lis/contract/lookups.ts'
import type { z } from 'zod'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'

export type DefaultTest = z.infer<typeof defaultTestRow>

const ends = ['Lo', 'Hi'] as const
/** All limit fields, in the order of the columns. */
export const limitNames = rangeBands.flatMap(({ name }) => ends.map((end) => `${name}${end}` as const))
type LimitName = (typeof limitNames)[number]

/** The form of a range without its test. */
export const rangeFields: FieldDef[] = [
  { name: 'colaSigDigits', label: rangeLabels.colaSigDigits, kind: 'number' },
  { name: 'units', label: rangeLabels.units, kind: 'text' },
  ...limitNames.map((name): FieldDef => ({ name, label: rangeLabels[name], kind: 'number' })),
]

/** The values that a chosen test fills in: its digits, units and default ranges. */
export const valuesOfTest = (test: DefaultTest): Values => ({
  colaSigDigits: test.significantDigits,
  units: test.units ?? '',
  ...Object.fromEntries(limitNames.map((name) => [name, test[catalogueName(name)] ?? ''])),
})

/** 'colaMNormalLo' is 'mNormalLo' in the test catalogue. */
const catalogueName = (name: LimitName) => {
  const rest = name.slice('cola'.length)
  return `${rest.slice(0, 1).toLowerCase()}${rest.slice(1)}` as Extract<keyof DefaultTest, `${string}${'Lo' | 'Hi'}`>
}
