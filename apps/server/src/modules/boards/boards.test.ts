import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

const newBoard = async () => {
  const lab = await test.given.lab({ name: 'North Laboratory' })
  const admin = await test.as('ADM')
  const { status, body } = await admin.post('boards', { boardName: 'Bench', labId: lab.id })
  expect([status, body.message]).toEqual([200, 'Successfully created'])
  const key = String(body.data.url).split('/board/')[1] as string
  return { admin, lab, id: body.data.id as number, key }
}

describe('a wall board', () => {
  it('HOME-10 shows the numbers of its laboratory to anyone with the key, and no patient data', async () => {
    const { lab, key } = await newBoard()
    const patient = await test.given.patient({ last_name: 'Wallflower', dob: '1953-05-06' })
    const { id } = await test.given.requisition({ lab_id: lab.id, patient_id: patient.id })
    await test.given.requisition({ patient_id: patient.id })
    const { status, body } = await test.nobody.get(`boards/view/${key}`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ boardName: 'Bench', labName: 'North Laboratory', turnaround: { released: 0 } })
    expect(body.data.queues.map((queue: { code: string; count: number }) => [queue.code, queue.count])).toEqual([
      ['RECEIVE', 1],
      ['PROCESS', 0],
      ['LATE', 0],
    ])
    expect(body.data.flow[0]).toMatchObject({ reqStatusCode: 'LOG', count: 1 })
    const text = JSON.stringify(body)
    for (const secret of ['Wallflower', '1953', String(id)]) expect(text).not.toContain(secret)
  })

  it('HOME-10 keeps only the hash of the key, which opens nothing else and ends with the board', async () => {
    const { admin, id, key } = await newBoard()
    const { rows } = await test.database.owner.query('select row_to_json(b)::text as row from board b')
    expect(rows.map(({ row }) => row).join()).not.toContain(key)
    expect((await admin.get('boards')).body.data.at(-1)).toMatchObject({ id, boardName: 'Bench' })
    const asToken = { authorization: `Bearer ${key}` }
    expect((await test.nobody.get('home', asToken)).status).toBe(401)
    expect((await test.nobody.get(`boards/view/${key.slice(0, -1)}x`)).status).toBe(404)
    expect((await (await test.as('STF')).post('boards', { boardName: 'Mine', labId: 1 })).status).toBe(403)
    expect((await admin.del(`boards/${id}`)).status).toBe(200)
    expect((await test.nobody.get(`boards/view/${key}`)).status).toBe(404)
    expect((await admin.post('boards', { boardName: 'None', labId: 999_999 })).body.errors[0].field).toBe('labId')
  })
})
