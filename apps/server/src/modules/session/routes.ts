import { messages } from '@lis/contract/messages.ts'
import { sessionRoutes } from '@lis/contract/session.ts'
import { AppError, forbidden } from '../../platform/http/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { originOf } from '../../platform/identity/origin.ts'
import { asApiError, endSession, exchangeToken } from './service.ts'

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
    return {
      data: await exchangeToken(db, services, identity, originOf(request), requestId),
      message: messages.loggedIn,
    }
  },
  logout: async ({ db, actor, params, services, requestId }) => {
    if (params.userId !== actor.userId) throw forbidden()
    await endSession(db, services, actor, requestId)
    return { message: 'Successfully logged out' }
  },
  forgotPassword: async ({ params, services }) => {
    await services.identity.forgotPassword(params.username).catch(asApiError)
    return { message: resetSent }
  },
  confirmPassword: async ({ body, services }) => {
    await services.identity.confirmForgotPassword(body.userName, body.verificationCode, body.newPwd).catch(asApiError)
    return { message: 'Password successfully changed' }
  },
  changePassword: async ({ body, services }) => {
    await services.identity.changePassword(body.accessToken, body.currentPwd, body.newPwd).catch(asApiError)
    return { message: 'Password successfully changed' }
  },
  changeExpiredPassword: async ({ body, services }) => {
    await services.identity.changePassword(body.accessToken, body.currentPwd, body.newPwd).catch(asApiError)
    return { message: 'Password successfully changed' }
  },
})
