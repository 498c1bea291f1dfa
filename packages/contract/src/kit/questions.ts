import { z } from 'zod'

/** One way to answer a question. */
export interface Choice {
  /** What the caller sends: `answers: { [question.code]: value }`. */
  value: string
  /** What the button says. */
  label: string
}

/** The answer to 'shall it be saved nevertheless?', offered when a question names no choices of its own. */
export const saveAnyway: Choice = { value: 'SAVE', label: 'Save anyway' }

/** Something that a person must decide before a write is carried out (409, `code: question`). */
export interface Question {
  code: string
  /** The field it is about, by its name in the request. */
  field: string
  message: string
  /** Requisitions it is about. */
  reqIds?: readonly number[]
  choices?: readonly Choice[]
  /** What a dialog of its own may show besides: values before and after, records that look the same. */
  [detail: string]: unknown
}

export const choicesFor = ({ choices }: Question): readonly Choice[] => choices ?? [saveAnyway]

/** What a caller sends with the repeated request. An answer to a question that was not asked is ignored. */
export const answersInput = z
  .record(z.string().max(60), z.string('An answer must be text').max(200), 'answers must be an object')
  .refine((answers) => Object.keys(answers).length <= 50, 'At most 50 answers can be given')
  .default({})
export type Answers = Record<string, string>
