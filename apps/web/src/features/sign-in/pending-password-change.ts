import type { AppEvents } from '../../lib/events.ts'

type PasswordChange = AppEvents['passwordExpired']

/** Who must choose a new password, and the proof of it, from the moment a call says so to the screen that asks for it. In memory only. */
let pending: PasswordChange | null = null

export const askForNewPassword = (change: PasswordChange) => {
  pending = change
}
export const pendingPasswordChange = () => pending
export const forgetPasswordChange = () => {
  pending = null
}
