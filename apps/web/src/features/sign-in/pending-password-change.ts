import type { AppEvents } from '../../lib/events.ts'

type PasswordChange = AppEvents['passwordExpired']

/**
 * The user who must choose a new password, with the token that proves it, from the failed call to the screen that asks for it. In memory
 * only.
 */
let pending: PasswordChange | null = null

export const askForNewPassword = (change: PasswordChange) => {
  pending = change
}
export const pendingPasswordChange = () => pending
export const forgetPasswordChange = () => {
  pending = null
}
