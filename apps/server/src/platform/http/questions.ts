import { type Answers, choicesFor, type Question } from '@lis/contract/kit/questions.ts'
import { AppError } from '../errors.ts'

/**
 * The questions of a write. The service asks all of them, then calls `requireAnswers`, so that the user sees them at once. Nothing is
 * saved until each has an answer.
 */
export class Questions {
  readonly #given: Answers
  readonly #asked: { question: Question; answer: string | undefined }[] = []

  constructor(given: Answers = {}) {
    this.#given = given
  }

  /** The answer, or undefined when there is none yet. A value that is not one of the choices is no answer. */
  ask(question: Question): string | undefined {
    const given = Object.hasOwn(this.#given, question.code) ? this.#given[question.code] : undefined
    const answer = choicesFor(question).find(({ value }) => value === given)?.value
    this.#asked.push({ question, answer })
    return answer
  }

  /** Ends the call with 409 when a question has no answer. */
  requireAnswers() {
    const open = this.#asked.filter(({ answer }) => answer === undefined).map(({ question }) => question)
    if (open.length === 0) return
    throw new AppError('question', open.map(({ message }) => message).join(' '), { current: { questions: open } })
  }

  /** For the history: the questions with the user's answers. Undefined without questions. */
  get history(): string | undefined {
    const lines = this.#asked.flatMap(({ question, answer }) => {
      const label = choicesFor(question).find(({ value }) => value === answer)?.label
      return label === undefined ? [] : [`${question.message} ${label}.`]
    })
    return lines.length > 0 ? lines.join(' ') : undefined
  }
}
