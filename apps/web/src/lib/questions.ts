import type { Answers, Question } from '@lis/contract/kit/questions.ts'
import { ApiError, cancelled } from './api-error.ts'
import { events } from './events.ts'

/** The questions that a refused write has to have answered first; null for any other failure. */
export const questionsOf = (error: unknown): readonly Question[] | null => {
  if (!(error instanceof ApiError) || error.code !== 'question') return null
  return (error.current as { questions: Question[] }).questions
}

/** The answers of the person at the screen; null when they decide not to save. */
const askPerson = (questions: readonly Question[]): Promise<Answers | null> =>
  new Promise((answer) => events.emit('question', { questions, answer }))

/**
 * Sends, and as long as the server asks, shows its questions and sends again with the answers. A person who decides not to save
 * ends it as a cancelled call does: the form keeps what was typed and nobody is told of a failure.
 */
export const sendAnswered = async <T>(send: (answers: Answers | undefined) => Promise<T>): Promise<T> => {
  let answers: Answers | undefined
  for (;;) {
    try {
      return await send(answers)
    } catch (error) {
      const questions = questionsOf(error)
      if (!questions) throw error
      const given = await askPerson(questions)
      if (!given) throw cancelled(error)
      answers = { ...answers, ...given }
    }
  }
}
