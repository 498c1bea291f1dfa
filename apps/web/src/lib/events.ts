import type { Answers, Question } from '@lis/contract/kit/questions.ts'
import type { ApiError } from './api-error.ts'
import { createEmitter } from './emitter.ts'

export type NoticeType = 'info' | 'success' | 'warning' | 'error'

/** A short message to the user. */
export interface Notice {
  type: NoticeType
  /** Anything but text is shown as 'Unknown error', so callers may pass on whatever the server sent. */
  message: unknown
  /** Offers 'Download' and stays twice as long. */
  downloadUrl?: string
  action?: { label: string; run: () => void }
  /** For messages shown nowhere else: stays until the user closes it. */
  stays?: { onRead: () => void }
  /** The error it reports: when the failed call succeeds later, the notice is closed. */
  cause?: unknown
}

/** Questions of one call, waiting for the user's answers. */
export interface PendingQuestions {
  questions: readonly Question[]
  /** null: do not save. */
  answer: (answers: Answers | null) => void
}

export interface AppEvents {
  /** A notice with the same text was announced again. */
  noticeRepeated: string
  notice: Notice
  /** A write has succeeded that can be undone for a while; the notice about it offers that. */
  undoable: { undoId: number; message: string }
  question: PendingQuestions
  /** The search of the header is to open. */
  quickJump: null
  /** The name of a call, as in `ApiError.call`. */
  succeeded: string
  /** 403: the server's message says why. */
  forbidden: ApiError
  /** 490: the password must be changed before anything else; the token of the user pool proves who asks. The session ends next. */
  passwordExpired: { accessToken: string; userName: string }
}

/** The only way in which `lib` reaches the screen. */
export const events = createEmitter<AppEvents>()
