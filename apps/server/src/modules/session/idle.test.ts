import { expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()
const background = { 'x-background': '1' }
const password = 'Correct-Horse-2026!'

/** Lets time pass for the session without waiting for it. */
const pass = (userId: number, minutes: number) =>
  test.database.owner.query(
    'update session set last_seen_at = last_seen_at - make_interval(mins => $2) where user_id = $1',
    [userId, minutes],
  )

it('a session with background calls only ends at the idle limit; one call of a user extends it', async () => {
  const [left, used] = [await test.as('STF'), await test.as('STF')]
  for (const staff of [left, used]) {
    await pass(staff.userId, 20)
    expect((await staff.get('flags', background)).status).toBe(200)
  }
  await used.get('flags')
  for (const { userId } of [left, used]) await pass(userId, 11)
  expect((await left.get('flags', background)).status).toBe(408)
  expect((await left.get('flags')).status).toBe(408)
  expect((await used.get('flags')).status).toBe(200)
})

it('an automatic token renewal does not count as use either', async () => {
  const { id } = await test.given.user('STF')
  const { rows } = await test.database.owner.query('select user_name from app_user where id = $1', [id])
  const userName: string = rows[0].user_name
  await test.services.identity.createUser(test.database.db, {
    userId: id,
    userName,
    temporaryPassword: password,
  })
  await test.services.identity.setPassword(test.database.db, userName, password, true)
  await test.database.owner.query("update identity_user set mfa_preference = 'OFF' where user_id = $1", [id])
  const origin = { ip: '127.0.0.1', userAgent: undefined }
  const accessToken = await test.services.identity.signInDirectly(userName, password, origin)
  const exchange = (headers = {}) => test.nobody.post('mfa/login', { accessToken }, headers)
  expect((await exchange()).status).toBe(200)
  await pass(id, 20)
  const renewed = await exchange(background)
  const bearer = { authorization: `Bearer ${renewed.body.data.token}` }
  expect((await test.nobody.get('flags', { ...bearer, ...background })).status).toBe(200)
  await pass(id, 11)
  expect((await exchange(background)).status).toBe(408)
  expect((await test.nobody.get('flags', bearer)).status).toBe(408)
})
