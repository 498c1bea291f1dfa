/** The proof of who must choose a new password, from the moment a call says so to the screen that asks for it. In memory only. */
let pending: string | null = null

export const askForNewPassword = (accessToken: string) => {
  pending = accessToken
}
export const pendingPasswordChange = () => pending
export const forgetPasswordChange = () => {
  pending = null
}
