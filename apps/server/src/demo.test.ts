import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoAccounts as loadedAccounts } from '../seeds/laboratory/users.ts'
import { demoSetting, readSetting, writeSetting } from '../seeds/settings.ts'
import { openTestDatabase, type TestDatabase } from '../test/database.ts'
import { demoAccounts, refuseDemoOfRealData } from './demo.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test?.close())

const refusal = () =>
  refuseDemoOfRealData(test.owner).then(
    () => null,
    (error: Error) => error.message,
  )
const addUsers = async (names: readonly string[]) => {
  await test.owner.query('delete from setting where key = $1', [demoSetting])
  await test.owner.query('delete from app_user')
  for (const name of names)
    await test.owner.query(
      `insert into app_user (user_name, first_name, last_name, email, phone, role_code) values ($1, 'A', 'B', 'a@lab.example', '16175550100', 'ADM')`,
      [name],
    )
}

describe('demo mode', () => {
  it('knows the accounts that the loader creates', () => {
    expect(loadedAccounts.map(({ userName }) => userName)).toEqual([...demoAccounts])
  })

  it('starts on an empty database and does not set the demo setting', async () => {
    await addUsers([])
    expect([await refusal(), await readSetting(test.owner, demoSetting)]).toEqual([null, undefined])
  })

  it.each([
    [['j.miller']],
    [['admin']],
    [['j.miller', ...demoAccounts]],
    [[...demoAccounts].reverse()],
    [demoAccounts.slice(0, 7)],
  ])('does not start on a laboratory of its own: %s', async (names) => {
    await addUsers(names)
    expect(await refusal()).toContain('This is not a demo: set LIS_DEMO=0')
    expect(await readSetting(test.owner, demoSetting)).toBe(undefined)
  })

  it('starts on a demo of an earlier version, and sets the demo setting', async () => {
    await addUsers([...demoAccounts, 'a.jensen', 'somebody.new'])
    expect([await refusal(), await readSetting(test.owner, demoSetting)]).toEqual([null, true])
  })

  it('starts on a database with the demo setting, whatever accounts it has', async () => {
    await addUsers(['j.miller'])
    await writeSetting(test.owner, demoSetting, true)
    expect(await refusal()).toBe(null)
  })
})
