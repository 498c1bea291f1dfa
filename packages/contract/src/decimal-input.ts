import { z } from 'zod'
import { messages } from './messages.ts'
import { compare, decimalOf, parseDecimal } from './results/decimal.ts'

/** A decimal number as text or number; its exact text. */
export const decimalInput = (label: string) =>
  z
    .union([z.string(), z.number()], { error: messages.required(label) })
    .transform((value) => String(value).trim())
    .refine((text) => text !== '', messages.required(label))
    .refine(
      (text) => text === '' || (text.length <= 40 && parseDecimal(text) !== undefined),
      `${label} must be a number`,
    )

/** The same, above 0. */
export const positiveDecimalInput = (label: string) =>
  decimalInput(label).refine(
    (text) => parseDecimal(text) === undefined || compare(decimalOf(text), { n: 0n, d: 1n }) > 0,
    `${label} must be above 0`,
  )
