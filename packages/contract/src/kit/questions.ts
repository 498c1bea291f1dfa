import { z } from 'zod'

/** One possible answer to a question. */
export interface Choice {
  /** What the caller sends: `answers: { [question.code]: value }`. */
  value: string
  /** What the button says. */
  label: string
}

/** Offered when a question names no choices. */
const saveAnyway: Choice = { value: 'SAVE', label: 'Save anyway' }

/** A decision that the user has to make before a write is carried out (409, `code: question`). */
export interface Question {
  code: string
  /** The field it is about, by its name in the request. */
  field: string
  message: string
  /** Requisitions it is about. */
  reqIds?: readonly number[]
  /** Patients it is about. */
  patientIds?: readonly number[]
  choices?: readonly Choice[]
  /** No answer is put forward, not even 'Cancel'. */
  hasNoDefault?: true
  /** More for a specific dialog: values before and after, possible duplicates. */
  [detail: string]: unknown
}

export const choicesFor = ({ choices }: Question): readonly Choice[] => choices ?? [saveAnyway]

/** What a caller sends with the repeated request. An answer to a question that was not asked is ignored. */
export const answersInput = z
  .record(z.string().max(60), z.string('An answer must be text').max(200), 'answers must be an object')
  .refine((answers) => Object.keys(answers).length <= 50, 'At most 50 answers can be given')
  .default({})
export type Answers = Record<string, string>
