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
  it('is well when nothing is wrong', async () => {
    expect((await health()).status).toBe(200)
  })

  it('tells when files cannot be stored', async () => {
    rmSync(files(), { recursive: true, force: true })
    writeFileSync(files(), 'in the way')
    const { status, body } = await health()
    rmSync(files())
    expect([status, body.message]).toEqual([503, 'The disk of the file store is not a folder'])
    expect((await health()).status).toBe(200)
  })

  it('tells that a disk is full before nothing fits on it any more', async () => {
    mkdirSync(files(), { recursive: true })
    expect([await folderFault(files()), await folderFault(files(), 2 ** 60)]).toEqual([null, 'is full'])
    expect(await folderFault(join(files(), 'not', 'there'))).toBe(null)
  })

  it('tells what calls have just met: a database that takes no changes', async () => {
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
    expect([status, body.message]).toEqual([503, 'The database takes no changes just now, please try again'])
    await test.database.owner.query(`alter database ${rows[0].name} reset default_transaction_read_only`)
    for (const client of await Promise.all(
      Array.from({ length: unrestricted.options.max }, () => unrestricted.connect()),
    ))
      client.release(true)
  })
})

describe('a file store that takes nothing', () => {
  it('is answered 503 with a word to the person, names the cause in the log, and leaves nothing half written', async () => {
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
  ])('says of %s that %s', (code, words) => {
    const fault = storeFault(Object.assign(new Error('write'), { code }))
    expect([fault.message, (fault.cause as Error).message]).toEqual([
      'The file could not be stored, please try again later',
      `The file store cannot be written: ${words}`,
    ])
  })
})
