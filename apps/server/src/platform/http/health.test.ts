import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { sendToStore } from '../../../test/uploads.ts'
import { storeFault } from '../storage/disk-store.ts'
import { folderFault } from './health.ts'

const lines: string[] = []
const test = openTestApp({ env: { LOG_LEVEL: 'error' }, log: { write: (line) => void lines.push(line) } })
const health = () => test.inject({ method: 'GET', url: '/healthz' })
const files = () => join(test.database.folder, 'files')

describe('/healthz', () => {
  it('answers 200 when nothing is wrong', async () => {
    expect((await health()).status).toBe(200)
  })

  it('reports when files cannot be stored', async () => {
    rmSync(files(), { recursive: true, force: true })
    writeFileSync(files(), 'in the way')
    const { status, body } = await health()
    rmSync(files())
    expect([status, body.message]).toEqual([503, 'The disk of the file store is not a folder'])
    expect((await health()).status).toBe(200)
  })

  it('reports a full disk while some space is left', async () => {
    mkdirSync(files(), { recursive: true })
    expect([await folderFault(files()), await folderFault(files(), 2 ** 60)]).toEqual([null, 'is full'])
    expect(await folderFault(join(files(), 'not', 'there'))).toBe(null)
  })

  it('reports what calls have just met: a read-only database', async () => {
    const { rows } = await test.database.owner.query('select current_database() as name')
    const staff = await test.as('MGMT')
    const { id } = await test.given.requisition()
    await test.database.owner.query(`alter database ${rows[0].name} set default_transaction_read_only = on`)
    const { unrestricted } = test.services
    for (const client of await Promise.all(
      Array.from({ length: unrestricted.options.max }, () => unrestricted.connect()),
    ))
      client.release(true)
    expect((await staff.post(`requisitions/${id}/bill_notes`, { note: 'Called' })).status).toBe(503)
    const { status, body } = await health()
    expect([status, body.message]).toEqual([
      503,
      'The database does not accept changes at the moment, please try again',
    ])
    await test.database.owner.query(`alter database ${rows[0].name} reset default_transaction_read_only`)
    for (const client of await Promise.all(
      Array.from({ length: unrestricted.options.max }, () => unrestricted.connect()),
    ))
      client.release(true)
  })
})

describe('a file store that cannot be written', () => {
  it('answers 503 with a message for the user, logs the cause, and leaves no partial file', async () => {
    const staff = await test.as('STF')
    const { id } = await test.given.requisition()
    const slot = await staff.post(`requisitions/${id}/upload`, { fileName: 'a.pdf', docTypeCode: 'SCANREQ' })
    rmSync(files(), { recursive: true, force: true })
    writeFileSync(files(), 'in the way')
    lines.length = 0
    expect(await sendToStore(test, slot.body.data.fields, '%PDF-1.7')).toBe(503)
    expect(lines.join()).toContain('The file store cannot be written')
    rmSync(files())
    // The slot has not been used up: the same file can be sent again.
    expect(await sendToStore(test, slot.body.data.fields, '%PDF-1.7')).toBe(204)
  })

  it.each([
    ['ENOSPC', 'its disk is full'],
    ['EROFS', 'its disk is read-only'],
    ['EACCES', 'the server may not write there'],
  ])('explains %s as %s', (code, words) => {
    const fault = storeFault(Object.assign(new Error('write'), { code }))
    expect([fault.message, (fault.cause as Error).message]).toEqual([
      'The file could not be stored, please try again later',
      `The file store cannot be written: ${words}`,
    ])
  })
})
