import type { Answers, Question } from '@lis/contract/kit/questions.ts'
import type { ApiError } from './api-error.ts'
import { createEmitter } from './emitter.ts'

export type NoticeType = 'info' | 'success' | 'warning' | 'error'

/** A short message to the person at the screen. */
export interface Notice {
  type: NoticeType
  /** What is not text is shown as 'Unknown error', so callers may pass on whatever the server sent. */
  message: unknown
  /** Offers 'Download' and stays twice as long. */
  downloadUrl?: string
  action?: { label: string; run: () => void }
  /** For what is told nowhere else: stays until a person has closed it. */
  stays?: { onRead: () => void }
  /** What it tells of: once a call that failed succeeds, its notice goes. */
  cause?: unknown
}

/** Questions of one call that wait for the person at the screen. */
export interface Asked {
  questions: readonly Question[]
  /** null: do not save. */
  answer: (answers: Answers | null) => void
}

export interface AppEvents {
  /** The words of a notice that stands there already were announced again. */
  noticeRepeated: string
  notice: Notice
  question: Asked
  /** The name of a call, as in `ApiError.call`. */
  succeeded: string
  /** 403: the server's message says why. */
  forbidden: ApiError
  /** 490: the password must be changed before anything else; the token of the user pool proves who asks. The session ends next. */
  passwordExpired: { accessToken: string; userName: string }
}

/** The only way in which `lib` speaks to the screen. */
export const events = createEmitter<AppEvents>()
