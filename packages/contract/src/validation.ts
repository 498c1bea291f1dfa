import { z } from 'zod'
import { isIsoDate } from './kit/date-range.ts'
import { messages } from './messages.ts'

/** Default limit of text fields. */
const maxTextLength = 4000
const maxPasswordLength = 256

/** Non-blank text, trimmed. */
export const required = (label: string, max = maxTextLength) =>
  z
    .string({ error: messages.required(label) })
    .trim()
    .min(1, messages.required(label))
    .max(max, messages.tooLong(label, max))

/** Optional text; missing and blank values become null. */
export const optionalText = (label: string, max = maxTextLength) =>
  z
    .string({ error: messages.invalid(label) })
    .trim()
    .max(max, messages.tooLong(label, max))
    .nullish()
    .transform((text) => text || null)

/** Letters of every script and the punctuation of names are allowed; markup, emoji and control characters are not. */
const isPrintable = (text: string | null) =>
  text === null || (/\p{L}/u.test(text) && !/[\p{Cc}\p{Extended_Pictographic}<>]/u.test(text))

/** Collapses whitespace in a name: a second space is invisible and would break searches. */
export const withSingleSpaces = (text: string) => text.replace(/\s+/g, ' ')

export const personName = (label: string, max: number) =>
  required(label, max).refine(isPrintable, messages.invalid(label)).transform(withSingleSpaces)

export const optionalPersonName = (label: string, max: number) =>
  optionalText(label, max)
    .refine(isPrintable, messages.invalid(label))
    .transform((text) => text && withSingleSpaces(text))

const digits = /^[0-9]{1,16}$/
const idInput = (message: string) =>
  z
    .union([z.number(), z.string().trim().regex(digits, message)], { error: message })
    .transform(Number)
    .pipe(z.number({ error: message }).int(message).positive(message))

/** The id of a selected record; selects may send it as text. */
export const requiredId = (label: string) => idInput(messages.required(label))

/** An optional id; the '' of a cleared select means null. */
export const optionalId = (label: string) =>
  z
    .union([z.literal('').transform(() => null), idInput(messages.invalid(label))], { error: messages.invalid(label) })
    .nullish()
    .transform((id) => id ?? null)

/** At least one id of a multi-select; duplicates are dropped. */
export const requiredIds = (label: string, max = 1000) =>
  z
    .array(requiredId(label), { error: messages.required(label) })
    .min(1, messages.required(label))
    .max(max, messages.invalid(label))
    .transform((ids) => [...new Set(ids)])

/** A code of a lookup list. */
export const requiredCode = (label: string) => required(label, 64)
export const optionalCode = (label: string) => optionalText(label, 64)

/** Yes and no on the wire: 1 and 0. */
export const flag01 = z.literal([0, 1])
/** A yes/no question that must be answered. */
export const requiredFlag = (label: string) => z.literal([0, 1], { error: messages.required(label) })

// ── passwords: never trimmed, a space may be part of them ───────────────────────────────────────────────────────────

const password = (message: string) => z.string({ error: message }).min(1, message).max(maxPasswordLength, message)
export const loginPassword = password(messages.passwordRequired)
export const currentPassword = password(messages.currentPasswordRequired)

/** Every rule that fails is reported, in the specification's order; a form shows the first. */
export const newPassword = z
  .string({ error: messages.passwordNeedsNumber })
  .regex(/[0-9]/, messages.passwordNeedsNumber)
  // Two tests, not one pattern: a pattern for both in any order takes quadratic time on a long text.
  .refine((text) => /[a-z]/.test(text) && /[A-Z]/.test(text), messages.passwordNeedsCases)
  .regex(/[!@#$%^&*()~]/, messages.passwordNeedsSpecial)
  .min(16, messages.passwordTooShort)
  .max(maxPasswordLength, messages.tooLong('Password', maxPasswordLength))

/** The two fields of every new-password form. The pair is compared even while the password itself is still wrong. */
export const newPasswordFields = z
  .object({ newPwd: newPassword, confirmPwd: password(messages.confirmRequired) })
  .refine(({ newPwd, confirmPwd }) => !confirmPwd || newPwd === confirmPwd, {
    path: ['confirmPwd'],
    message: messages.confirmDiffers,
  })

export const mfaCode = z
  .string({ error: messages.codeRequired })
  .trim()
  .regex(/^[0-9]{6}$/, messages.codeRequired)

// ── date and time parts, as forms send them: text or number in, number out ──────────────────────────────────────────

interface PartRule {
  min: number
  max: number
  invalid: string
  /** Only the day has a separate text for non-numbers. */
  notNumber?: string
  digits?: number
}

const part = (label: string, { min, max, invalid, notNumber = invalid, digits }: PartRule) =>
  z.union([z.string(), z.number()], { error: messages.required(label) }).transform((value, context) => {
    const text = String(value).trim()
    const number = Number(text)
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (text === '') return refuse(messages.required(label))
    if (Number.isNaN(number)) return refuse(notNumber)
    const fits = /^[0-9]+$/.test(text) && (digits === undefined || text.length === digits)
    return fits && number >= min && number <= max ? number : refuse(invalid)
  })

export const dayPart = (label: string) =>
  part(label, { min: 1, max: 31, invalid: messages.invalidDate, notNumber: messages.dateNotNumber })
export const monthPart = (label: string) => part(label, { min: 1, max: 12, invalid: messages.invalidMonth })
export const yearPart = (label: string) => part(label, { min: 0, max: 9999, digits: 4, invalid: messages.invalidYear })
export const hoursPart = (label: string) => part(label, { min: 1, max: 12, invalid: messages.invalidHours })
export const minutesPart = (label: string) => part(label, { min: 0, max: 59, invalid: messages.invalidMinutes })

/** An existing date as YYYY-MM-DD. */
export const isoDate = (label: string) =>
  z
    .string({ error: messages.required(label) })
    .min(1, messages.required(label))
    .refine(isIsoDate, messages.invalidDate)

/** The same, and not after `today`. */
export const pastDate = (label: string, today: () => string) =>
  isoDate(label).refine((date) => date <= today(), messages.invalidDate)

// ── phones: typed freely, stored as digits with the country code ────────────────────────────────────────────────────

const phone = (minDigits: number, message: string) =>
  z
    .string({ error: message })
    .trim()
    .regex(/^[0-9+()\-. ]{1,40}$/, message)
    .transform((text) => text.replace(/[^0-9]/g, ''))
    .refine((digits) => digits.length >= minDigits && digits.length <= 15, message)

/** A new user's phone receives sign-in codes, so the country code is required. */
export const phoneCreate = phone(11, messages.phoneFormat)
/** Older records may hold shorter numbers. */
export const phoneEdit = phone(7, messages.phoneInvalid)

export const email = (label: string) => required(label, 254).pipe(z.email(messages.invalid(label)))

// ── optional values ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Missing and blank values become null; anything else must match the schema. */
export const orNull = <T extends z.ZodType<string>>(schema: T, error: string) =>
  z
    .union(
      [
        z
          .string()
          .trim()
          .length(0)
          .transform(() => null),
        schema,
      ],
      { error },
    )
    .nullish()
    .transform((value) => value ?? null)

export const optionalPhone = orNull(phoneEdit, messages.phoneInvalid)
export const optionalEmail = orNull(z.string().trim().max(254).pipe(z.email('Invalid email')), 'Invalid email')
