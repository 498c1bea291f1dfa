import { messages } from '@lis/contract/messages.ts'
import { sessionRoutes } from '@lis/contract/session.ts'
import { isBackground } from '../../platform/auth/sessions.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { originOf } from '../../platform/identity/origin.ts'
import { asApiError, asFormError, changePassword, endSession, endSessionsOf, exchangeToken, viewAs } from './service.ts'

const passwordChanged = 'Password successfully changed'
const codeSent = 'An authentication code has been sent to your phone. Please enter the code below.'
const linkGood = 'This link is valid'
const resetSent = 'If this account exists, a link to reset the password has been sent.'

export const sessionModule = implement(sessionRoutes, {
  login: async ({ db, body, services, request, requestId }) => {
    const accessToken = await services.identity
      .signInDirectly(body.userName, body.pwd, originOf(request))
      .catch(asApiError)
    if (!accessToken) throw new AppError('unauthenticated', 'Incorrect username or password.')
    const identity = await services.identity.verifyAccessToken(accessToken).catch(asApiError)
    return {
      data: await exchangeToken(db, services, identity, originOf(request), requestId),
      message: messages.loggedIn,
    }
  },
  tokenLogin: async ({ db, body, services, request, requestId }) => {
    const identity = await services.identity.verifyAccessToken(body.accessToken).catch(asApiError)
    const origin = { ...originOf(request), isBackground: isBackground(request) }
    return {
      data: await exchangeToken(db, services, identity, origin, requestId),
      message: messages.loggedIn,
    }
  },
  logout: async ({ db, actor, params, services, requestId }) => {
    if (params.userId !== actor.userId && params.userId !== actor.viewer?.userId) throw notFound('User')
    await endSession(db, services, actor, requestId)
    return { message: 'Successfully logged out' }
  },
  viewAs: async ({ db, actor, params, body, services, request, requestId }) => {
    const data = await viewAs(db, actor, requestId, params.id, body.reason, originOf(request))
    const viewed = { ...actor, userId: params.id, name: data.viewAs.name, viewer: actor }
    services.accessLog.record({ actor: viewed, requestId, method: 'POST', route: 'users/{id}/view_as' })
    return { data, message: `Viewing as ${data.viewAs.name}` }
  },
  forgotPassword: async ({ params, services, request }) => {
    await services.identity.sendResetLink(params.username, originOf(request)).catch(asApiError)
    return { message: resetSent }
  },
  checkResetLink: async ({ body, services }) => {
    await services.identity.checkResetLink(body.token).catch(asApiError)
    return { message: linkGood }
  },
  confirmPassword: async ({ db, body, services, request }) => {
    const { userName, newPwd, token, verificationCode: code } = body
    const origin = originOf(request)
    const reset = { userName, newPassword: newPwd, token: token ?? '' }
    if (token && !code)
      return { data: await services.identity.beginReset(reset, origin).catch(asApiError), message: codeSent }
    if (token && code) await services.identity.finishReset({ ...reset, code }, origin).catch(asApiError)
    else await services.identity.confirmForgotPassword(userName, code ?? '', newPwd, origin).catch(asApiError)
    await endSessionsOf(db, userName, 'PASSWORD_RESET')
    return { data: null, message: passwordChanged }
  },
  changePassword: async (context) => {
    await changePassword(context, asFormError)
    return { message: passwordChanged }
  },
  changeExpiredPassword: async (context) => {
    await changePassword(context, asApiError)
    return { message: passwordChanged }
  },
})
