import { describe, expect, it } from 'vitest'
import { sessionRoutes } from './session.ts'

const messagesOf = (
  schema: { safeParse: (value: unknown) => { error?: { issues: { message: string }[] } } },
  value: unknown,
) => schema.safeParse(value).error?.issues.map(({ message }) => message) ?? []

describe('the sign-in calls', () => {
  it('have the paths and the access of the specification', () => {
    expect(Object.values(sessionRoutes).map(({ method, path, access }) => `${method} ${path} ${access}`)).toEqual([
      'POST login public',
      'POST mfa/login public',
      'PUT mfa/logout/:userId signedIn',
      'POST users/:id/view_as users.viewAs',
      'PUT mfa/forgot_pwd/:username public',
      'PUT mfa/check_link public',
      'PUT mfa/confirm_pwd public',
      'PUT mfa/profile/chg_pwd profile.own',
      'PUT mfa/profile/chg_exp_pwd public',
    ])
  })

  it('SIGN-40 SIGN-41 login names both missing fields at once', () => {
    expect(messagesOf(sessionRoutes.login.body, {})).toEqual(['Username is required', 'Password is required'])
  })

  it('SIGN-55 login takes a user name and keeps the password as typed', () => {
    expect(sessionRoutes.login.body.parse({ userName: ' staff ', pwd: ' x ' })).toEqual({
      userName: 'staff',
      pwd: ' x ',
    })
  })

  it('SIGN-60 the new password of a reset obeys the rules', () => {
    const body = { userName: 'staff', newPwd: 'short', verificationCode: '123456' }
    expect(messagesOf(sessionRoutes.confirmPassword.body, body)).toEqual([
      'Password must contain at least 1 number.',
      'Password must contain at least 1 uppercase and lowercase letter. ',
      'Password must contain at least 1 special character !@#$%^&*()~',
      '16 characters minimum password length',
    ])
    expect(messagesOf(sessionRoutes.confirmPassword.body, { ...body, newPwd: 'Demo-Password-2026!' })).toEqual([])
  })

  it('SIGN-62 USR-76 both password changes take the old one, the new one and the access token', () => {
    const body = { currentPwd: 'old', newPwd: 'Demo-Password-2026!', accessToken: 'token' }
    expect(sessionRoutes.changePassword.body.parse(body)).toEqual(body)
    expect(sessionRoutes.changeExpiredPassword.body.parse(body)).toEqual(body)
    expect(messagesOf(sessionRoutes.changePassword.body, { ...body, currentPwd: '' })).toEqual([
      'Current password is required',
    ])
  })

  it('SIGN-58 login and mfa/login answer token, userDepts and access', () => {
    const reply = {
      data: {
        token: 't',
        userDepts: [{ deptId: 1, deptCode: 'LAB', deptName: 'Laboratory' }],
        access: {
          userId: 7,
          userRoleCode: 'STF',
          userName: 'staff',
          userFirstName: 'Sam',
          userLastName: 'Staff',
          entityId: 1,
        },
      },
      message: 'Successfully login',
    }
    expect(sessionRoutes.login.reply.parse(reply)).toEqual(reply)
    expect(sessionRoutes.tokenLogin.reply.parse(reply)).toEqual(reply)
    const odd = { ...reply, data: { ...reply.data, access: { ...reply.data.access, userRoleCode: 'Et' } } }
    expect(sessionRoutes.login.reply.safeParse(odd).success).toBe(false)
  })
})
