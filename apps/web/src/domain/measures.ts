import { feetAndInches } from '@lis/contract/clinical-history.ts'
import type { Values } from '../ui/form/field-types.ts'

const poundsPerKilogram = 2.204_622_6
const centimetresPerInch = 2.54

const numberOf = (value: unknown): number | undefined => {
  const text = String(value ?? '').trim()
  return /^\d+(\.\d*)?$/.test(text) ? Number(text) : undefined
}

/** The weight in the other unit, as a whole number. */
export const convertWeight = ({ weight, weightUom }: Values, next: unknown): Values => {
  const given = numberOf(weight)
  if (given === undefined || next === weightUom) return {}
  if (next === 'KG') return { weight: String(Math.round(given / poundsPerKilogram)) }
  return next === 'LBS' ? { weight: String(Math.round(given * poundsPerKilogram)) } : {}
}

/** The height in the fields of the other unit, to a tenth. */
export const convertHeight = (values: Values, next: unknown): Values => {
  if (next === values.heightUom) return {}
  const feet = numberOf(values.heightFeet)
  const inches = numberOf(values.heightInches)
  if (next === 'CM') {
    if (feet === undefined && inches === undefined) return {}
    return { heightCm: tenths(((feet ?? 0) * 12 + (inches ?? 0)) * centimetresPerInch) }
  }
  const cm = numberOf(values.heightCm)
  if (cm === undefined) return {}
  const height = feetAndInches(Number(tenths(cm / centimetresPerInch)))
  return { heightFeet: String(height.feet), heightInches: String(height.inches) }
}

const tenths = (value: number) => String(Number(value.toFixed(1)))
