import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../app.ts'

const test = openTestApp()

/** What a spreadsheet would calculate, and what a browser would run. */
const hostile = [
  '=HYPERLINK("//evil.example";"x")',
  '+1+cmd|calc',
  '-2+3',
  '@SUM(1)',
  '\t=1+1',
  '<img src=x onerror=alert(1)>',
]
let lab: Caller
beforeAll(async () => {
  lab = await test.as('MGMT')
  for (const name of hostile) await test.given.client({ name })
})

const exported = async (format: string) => {
  const { url } = (await lab.get(`clients/export?format=${format}`)).body.data
  return test.app.inject({ method: 'GET', url: url.slice(new URL(url).origin.length) })
}

describe('hostile text, written out', () => {
  it('is never a formula in a CSV', async () => {
    const { payload } = await exported('csv')
    for (const [cell] of payload.matchAll(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,\n]*)/gm))
      expect(cell).not.toMatch(/^"?[=+@\t]|^"?-\D/)
    expect(payload).toContain(`'=HYPERLINK`)
  })

  it('is text in a spreadsheet file, never a formula', async () => {
    const { rawPayload } = await exported('xlsx')
    const sheet = (await readXlsx(rawPayload)).sheets[0]
    const cells = sheet?.rows.flat() ?? []
    for (const name of hostile) expect(cells.map(String)).toContain(name)
    expect(JSON.stringify([...(sheet?.cells?.values() ?? [])])).not.toContain('"formula":')
  })

  it('is text on the page of the demo messages', async () => {
    await test.given.store('outbox_message', {
      channel: 'EMAIL',
      recipient: hostile[5] as string,
      subject: hostile[5] as string,
      body: hostile[5] as string,
    })
    const { body } = await test.nobody.get('/demo/outbox')
    expect(body).not.toContain('<img')
    expect(body).toContain('img src=x onerror')
  })

  it('reaches no page of the product except through React', () => {
    const web = join(import.meta.dirname, '../../../web/src')
    const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
    const around =
      /dangerouslySetInnerHTML|\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function\(/
    expect(sources.length).toBeGreaterThan(100)
    expect(
      sources.filter((name) => !name.includes('.test.') && around.test(readFileSync(join(web, name), 'utf8'))),
    ).toEqual([])
  })
})
