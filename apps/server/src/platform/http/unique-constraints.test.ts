import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { toAppError } from './error-handler.ts'

const test = openTestApp()

describe('a duplicate value', () => {
  it('is named by the label of its field, also when the other record was saved at the same time', async () => {
    const manager = await test.as('MGMT')
    const person = (name: string) => ({
      salesFirstName: 'Jane',
      salesLastName: name,
      salesEmail: `${name}@example.com`,
      salesTitle: 'Sales Rep.',
      salesTypeCode: 'SLS',
    })
    const first = await manager.post('sales', person('first'))
    const owner = await test.database.owner.connect()
    await owner.query('begin')
    await owner.query("update sales_person set rep_code = 'RACE' where id = $1", [first.body.data.id])
    const call = manager.post('sales', { ...person('second'), salesRepCode: 'RACE' })
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await test.database.owner.query(waiting)).rowCount).toBe(1)
    await owner.query('commit')
    owner.release()
    const { status, body } = await call
    const message = 'Sales Rep Code is already used'
    expect([status, body.message, body.errors]).toEqual([409, message, [{ field: 'salesRepCode', message }]])
  })

  it('is named by its columns where no form has it, without its value', () => {
    const error = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'something_key',
      detail: 'Key (client_id, lower(last_name))=(4, secret) already exists.',
    })
    expect(toAppError(error as never).message).toBe('A record with the same client and last name already exists')
  })
})
