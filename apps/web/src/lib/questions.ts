import type { Answers, Question } from '@lis/contract/kit/questions.ts'
import { ApiError, cancelledError } from './api-error.ts'
import { events } from './events.ts'

/** The questions to answer before a refused write; null for any other failure. */
const questionsOf = (error: unknown): readonly Question[] | null => {
  if (!(error instanceof ApiError) || error.code !== 'question') return null
  return (error.current as { questions: Question[] }).questions
}

/** The user's answers; null if they decide not to save. */
const askUser = (questions: readonly Question[]): Promise<Answers | null> =>
  new Promise((answer) => events.emit('question', { questions, answer }))

/**
 * Sends, and as long as the server asks questions, shows them and sends again with the answers. If the user decides not to save, it ends
 * like a cancelled call: the form keeps its input and no error is shown. So it does with an answer that the form has to show first.
 */
export const sendWithQuestions = async <T>(
  send: (answers: Answers | undefined) => Promise<T>,
  isForForm?: (answers: Answers, questions: readonly Question[]) => boolean,
): Promise<T> => {
  let answers: Answers | undefined
  for (;;) {
    try {
      return await send(answers)
    } catch (error) {
      const questions = questionsOf(error)
      if (!questions) throw error
      const given = await askUser(questions)
      if (!given || isForForm?.(given, questions)) throw cancelledError(error)
      answers = { ...answers, ...given }
    }
  }
}
