import { AuthenticationDetails, CognitoUser, CognitoUserPool, type ICognitoStorage } from 'amazon-cognito-identity-js'
import { expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const password = 'Correct-Horse-2026!'

const memory = (): ICognitoStorage => {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    clear: () => values.clear(),
  }
}

/** Somebody at the pool, and how the library for browsers signs in as them by a flow. */
const openClient = async () => {
  const { id } = await test.given.user('STF')
  const { rows } = await test.database.owner.query('select user_name, phone from app_user where id = $1', [id])
  const [{ user_name: userName, phone }] = rows
  await test.services.identity.createUser(test.database.db, { userId: id, userName, temporaryPassword: password })
  await test.services.identity.setPassword(test.database.db, userName, password, true)
  const endpoint = `${await test.app.listen({ port: 0, host: '127.0.0.1' })}/idp`
  const Storage = memory()
  const Pool = new CognitoUserPool({ UserPoolId: 'local_lis', ClientId: 'lis-web', endpoint, Storage })
  const code = async () => {
    const sent = await test.database.owner.query('select body from outbox_message where recipient = $1', [phone])
    return /\d{6}/.exec(sent.rows.at(-1)?.body)?.[0] ?? ''
  }
  const signIn = (flow?: string) =>
    new Promise<string>((resolve) => {
      const user = new CognitoUser({ Username: userName, Pool, Storage })
      if (flow) user.setAuthenticationFlowType(flow)
      const onFailure = (error: Error) => resolve(`${error.name}: ${error.message}`)
      const onSuccess = () => resolve('signed in')
      user.authenticateUser(new AuthenticationDetails({ Username: userName, Password: password }), {
        onSuccess,
        onFailure,
        mfaRequired: async () => user.sendMFACode(await code(), { onSuccess, onFailure }),
      })
    })
  return { signIn }
}

it('the browser library signs in by USER_PASSWORD_AUTH, and gets an error that says so when it tries SRP', async () => {
  const { signIn } = await openClient()
  const refused = 'InvalidParameterException: USER_SRP_AUTH is not supported; use USER_PASSWORD_AUTH'
  expect(await signIn()).toBe(refused)
  expect(await signIn('USER_SRP_AUTH')).toBe(refused)
  expect(await signIn('USER_PASSWORD_AUTH')).toBe('signed in')
})
