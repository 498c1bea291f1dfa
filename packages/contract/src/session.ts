import { z } from 'zod'
import { roles } from './access/roles.ts'
import { done, one } from './kit/envelope.ts'
import { byId, idParam, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { currentPassword, loginPassword, newPassword, required } from './validation.ts'

const userName = required('Username', 128)
const accessToken = z
  .string({ error: messages.required('Access token') })
  .min(1, messages.required('Access token'))
  .max(8192)

const sessionDept = z.object({ deptId: z.number().int(), deptCode: z.string(), deptName: z.string() })

const sessionAccess = z.object({
  userId: z.number().int(),
  userRoleCode: z.enum(roles),
  userName: z.string(),
  userFirstName: z.string(),
  userLastName: z.string(),
  /** The client, collaborator, physician, sales person or lab that the role belongs to. */
  entityId: z.number().int().nullable(),
})

/** What the browser stores after sign-in. */
export const session = z.object({ token: z.string(), userDepts: z.array(sessionDept), access: sessionAccess })
export type Session = z.infer<typeof session>

/** The session of an administrator who views as somebody else. */
const viewSession = session.extend({
  viewAs: z.object({ userId: z.number().int(), name: z.string(), endsAt: z.iso.datetime({ offset: true }) }),
})
export type ViewSession = z.infer<typeof viewSession>
export const viewAsLabels = { reason: 'Reason' } as const
export const viewAsInput = z.object({ reason: required(viewAsLabels.reason, 500) })

export const loginInput = z.object({ userName, pwd: loginPassword })
const tokenLoginInput = z.object({ accessToken })
const verificationCode = z.string({ error: messages.codeRequired }).trim().max(64)
/**
 * The reset page sends the token of its link: first alone (a code is sent, nothing changes), then with that code as the second
 * factor. Without a token the code is the one sent by the user pool.
 */
export const confirmPasswordInput = z
  .object({
    userName,
    newPwd: newPassword,
    token: z.string().max(256).optional(),
    verificationCode: verificationCode.optional(),
  })
  .refine((input) => input.token || input.verificationCode, {
    path: ['verificationCode'],
    message: messages.codeRequired,
  })
const resetLinkInput = z.object({ token: z.string({ error: messages.required('Token') }).max(256) })
const changePasswordInput = z.object({ currentPwd: currentPassword, newPwd: newPassword, accessToken })

export const sessionRoutes = {
  login: post('login', {
    access: 'public',
    summary: 'Session for an account without multi-factor sign-in',
    isSignIn: true,
    isReplySecret: true,
    body: loginInput,
    reply: one(session),
  }),
  // Also called on every token refresh, so it is not rate-limited as a sign-in: a signed token cannot be guessed.
  tokenLogin: post('mfa/login', {
    access: 'public',
    summary: 'Session in exchange for an access token of the identity provider',
    isReplySecret: true,
    body: tokenLoginInput,
    reply: one(session),
  }),
  // Guests sign out too, so any signed-in user may call it for the own id.
  logout: put('mfa/logout/:userId', {
    access: 'signedIn',
    isOpenToViewers: true,
    params: z.object({ userId: idParam }),
    reply: done,
  }),
  viewAs: post('users/:id/view_as', {
    access: 'users.viewAs',
    summary: 'A session that shows what this person sees, read only, for at most 30 minutes',
    isReplySecret: true,
    params: byId,
    body: viewAsInput,
    reply: one(viewSession),
  }),
  forgotPassword: put('mfa/forgot_pwd/:username', {
    access: 'public',
    summary: 'Send a password link; the reply never tells whether the user exists',
    isSignIn: true,
    params: z.object({ username: userName }),
    reply: done,
  }),
  // The token is in the body, because URLs are logged.
  checkResetLink: put('mfa/check_link', {
    access: 'public',
    summary: 'Whether the link of a reset mail is still valid; changes nothing',
    isSignIn: true,
    body: resetLinkInput,
    reply: done,
  }),
  confirmPassword: put('mfa/confirm_pwd', {
    access: 'public',
    summary: 'Set a forgotten password; returns a challengeName while the second factor is missing',
    isSignIn: true,
    body: confirmPasswordInput,
    reply: one(z.object({ challengeName: z.string() }).nullable()),
  }),
  changePassword: put('mfa/profile/chg_pwd', { access: 'profile.own', body: changePasswordInput, reply: done }),
  // The password has expired, so there is no session yet: the access token and the old password authenticate the call.
  changeExpiredPassword: put('mfa/profile/chg_exp_pwd', {
    access: 'public',
    isSignIn: true,
    body: changePasswordInput,
    reply: done,
  }),
}
